import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logging.ts';
import type { EdgeDriver, EdgeReceipt, EdgeReport, EdgeTarget } from './driver.ts';
import type { FlowspecEdge } from './flowspec/flowspec.ts';

export interface LayeredEdgeParts {
  /** Holds every rule and counts. */
  local: EdgeDriver;
  /** Hold the rules that can be announced exactly, in front of this host. */
  routers: FlowspecEdge;
  clock: Clock;
  logger: Logger;
}

/** Delay before routers that could not be updated are retried, if they are not back earlier. */
const RETRY_MS = 30_000;

/**
 * This host with routers in front of it. The host holds all rules, so the routers only reduce its load: nothing is
 * lost if they cannot be reached, and a rule that cannot be announced exactly is enforced by the host only.
 */
export class LayeredEdge implements EdgeDriver {
  readonly name = 'nftables+flowspec';
  readonly readEveryMs: number;
  readonly #parts: LayeredEdgeParts;
  #listener: () => void = () => {};
  /** When routers that could not be updated are retried, in epoch milliseconds; undefined if they are up to date. */
  #retryAt: number | undefined;

  constructor(parts: LayeredEdgeParts) {
    this.#parts = parts;
    this.readEveryMs = parts.local.readEveryMs ?? 1_000;
  }

  async probe(): Promise<EdgeReport> {
    const [local, routers] = [await this.#parts.local.probe(), await this.#parts.routers.probe()];
    return { ok: local.ok && routers.ok, summary: `${local.summary}; ${routers.summary}` };
  }

  capabilities = () => this.#parts.local.capabilities();

  onAltered(listener: () => void): void {
    this.#listener = listener;
    this.#parts.local.onAltered?.(listener);
    this.#parts.routers.onAltered(listener);
  }

  async reconcile(targets: EdgeTarget[]): Promise<EdgeReceipt> {
    const receipt = await this.#parts.local.reconcile(targets);
    await this.#alsoRouters((routers) =>
      routers.reconcile(targets.filter(({ ip }) => routers.mayAnnounce(ip))),
    );
    return receipt;
  }

  async putTarget(target: EdgeTarget): Promise<EdgeReceipt> {
    const receipt = await this.#parts.local.putTarget(target);
    await this.#alsoRouters(async (routers) => {
      if (routers.mayAnnounce(target.ip)) await routers.putTarget(target);
      else await routers.removeTarget(target.id);
    });
    return receipt;
  }

  async removeTarget(id: string): Promise<void> {
    await this.#parts.local.removeTarget(id);
    await this.#alsoRouters((routers) => routers.removeTarget(id));
  }

  readTotals() {
    const { clock, local, routers } = this.#parts;
    // Makes the router edge verify its announcements, too.
    routers.readTotals();
    if (this.#retryAt !== undefined && clock.now().getTime() >= this.#retryAt) {
      this.#retryAt = undefined;
      this.#listener();
    }
    return local.readTotals();
  }

  readDetail = (ids: string[]) => this.#parts.local.readDetail(ids);
  readRuleCounters = (ids: string[]) => this.#parts.local.readRuleCounters(ids);
  startPortSample = (ids: string[]) => this.#parts.local.startPortSample(ids);
  readPortSamples = (ids: string[]) => this.#parts.local.readPortSamples(ids);

  /**
   * Takes effect here immediately. Throws if the routers do not follow, because only they help when the uplink is
   * full.
   */
  async blackhole(id: string, on: boolean): Promise<void> {
    await this.#parts.local.blackhole(id, on);
    await this.#parts.routers.blackhole(id, on);
  }

  async close(): Promise<void> {
    await this.#parts.routers.close();
    await this.#parts.local.close();
  }

  async #alsoRouters(work: (routers: FlowspecEdge) => Promise<unknown>): Promise<void> {
    const { clock, logger, routers } = this.#parts;
    try {
      await work(routers);
      this.#retryAt = undefined;
    } catch (error) {
      logger.warn({ err: error }, 'routers do not have the latest rules, but this host does');
      this.#retryAt = clock.now().getTime() + RETRY_MS;
    }
  }
}
