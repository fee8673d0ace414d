import type { EdgeDriver, EdgeReceipt, EdgeTarget } from '../driver.ts';
import type { FlowSource } from './flow-source.ts';

/** The interval at which the collector writes. */
const READ_EVERY_MS = 1_000;

/**
 * An edge whose attacks are detected from flow records instead of its own counters. Otherwise it behaves like the
 * wrapped edge.
 */
export class FlowWatchedEdge implements EdgeDriver {
  readonly readEveryMs = READ_EVERY_MS;
  readonly #edge: EdgeDriver;
  readonly seen: FlowSource;

  constructor(edge: EdgeDriver, seen: FlowSource) {
    this.#edge = edge;
    this.seen = seen;
    if (edge.attacks) this.attacks = edge.attacks;
  }

  readonly attacks?: NonNullable<EdgeDriver['attacks']>;

  get name(): string {
    return this.#edge.name;
  }

  async probe() {
    const { ok, summary } = await this.#edge.probe();
    return { ok, summary: `${summary}; attacks are detected from flows` };
  }

  async reconcile(targets: EdgeTarget[]): Promise<EdgeReceipt> {
    this.seen.targets.replace(targets);
    return this.#edge.reconcile(targets);
  }

  async putTarget(target: EdgeTarget): Promise<EdgeReceipt> {
    this.seen.targets.add(target.id, target.ip);
    return this.#edge.putTarget(target);
  }

  async removeTarget(id: string): Promise<void> {
    this.seen.targets.remove(id);
    await this.#edge.removeTarget(id);
  }

  async close(): Promise<void> {
    this.seen.close();
    await this.#edge.close();
  }

  capabilities = () => this.#edge.capabilities();
  onAltered = (listener: () => void) => this.#edge.onAltered?.(listener);
  readTotals = () => this.#edge.readTotals();
  readDetail = (ids: string[]) => this.#edge.readDetail(ids);
  readRuleCounters = (ids: string[]) => this.#edge.readRuleCounters(ids);
  startPortSample = (ids: string[]) => this.#edge.startPortSample(ids);
  readPortSamples = (ids: string[]) => this.#edge.readPortSamples(ids);
  blackhole = (id: string, on: boolean) => this.#edge.blackhole(id, on);
}
