import { ComputeUnavailableError, type PortForwardEntry } from '../../compute/driver.ts';
import type { Database } from '../../db/database.ts';
import { type ForwardRow, failForwards, forwardsAt, settleForwards } from '../../db/queries/vms/forwards.ts';
import type { Signals } from '../../db/signals.ts';
import type { GatewayDriver } from '../../gateway/driver.ts';
import { addressMatcher } from '../../platform/cidr.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import { PublicPortRanges } from '../../platform/public-ports.ts';
import { Reconciler } from '../../platform/reconciler.ts';

/** The gateway is given all forwards again at this interval, even if nothing is known to have changed. */
const AGAIN_EVERY_MS = 60_000;

interface ReconcilerParts {
  db: Database;
  gateway: GatewayDriver;
  signals: Signals;
  clock: Clock;
  logger: Logger;
}

/**
 * Sets the forwards of this node's gateway to those in the database, all of them each time, so that gateways keep no
 * state of their own. A forward counts as active, or removed, once one gateway has applied it; the others follow within
 * moments, because they receive the same signal. Does nothing on a node that is not a gateway.
 */
export class ForwardReconciler {
  readonly #parts: ReconcilerParts;
  readonly #reconciler = new Reconciler({
    run: () => this.#run(),
    onFailure: (error) => this.#parts.logger.warn({ err: error }, 'forwards not applied'),
  });
  #isBehind: boolean;
  /** The forwards last given to the gateway, and when; undefined if the gateway may hold something else. */
  #given: { text: string; at: number } | undefined;
  /** Counts reports that the gateway's forwards may have been altered. */
  #doubts = 0;
  #refused = '';

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
    this.#isBehind = this.isHere;
    parts.signals.onForwardsChanged(() => this.kick());
    parts.gateway.onAltered(() => {
      this.#doubts++;
      this.#given = undefined;
      this.kick();
    });
  }

  /** True if gateways make the forwards, on this node or others, so that the engine is given none. */
  get byGateway(): boolean {
    return this.#parts.gateway.capabilities().forwards !== 'nowhere';
  }

  /**
   * True if this node is a gateway whose forwards, as far as is known, are out of date: it should not be sent traffic.
   */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  get isHere(): boolean {
    return this.#parts.gateway.capabilities().forwards === 'here';
  }

  /**
   * Resolves when the forwards in the database at this time are in force on this gateway; throws
   * {@link ComputeUnavailableError}.
   */
  apply(): Promise<void> {
    return this.isHere ? this.#reconciler.run() : Promise.resolve();
  }

  /** Applies the forwards soon, in the background; the next round retries a failure. */
  kick(): void {
    if (this.isHere) this.#reconciler.kick();
  }

  /** Resolves when nothing is being applied. */
  idle(): Promise<void> {
    return this.#reconciler.idle();
  }

  /** Stops for good and waits for the current run, for an orderly stop of the service. */
  stop(): Promise<void> {
    return this.#reconciler.close();
  }

  async #run(): Promise<void> {
    try {
      await this.#applyAll();
      this.#isBehind = false;
    } catch (error) {
      this.#isBehind = true;
      throw error;
    }
  }

  async #applyAll(): Promise<void> {
    const { db, gateway } = this.#parts;
    const { publicPorts } = gateway.capabilities();
    const rows = await forwardsAt(db, [...new Set(publicPorts.map(({ address }) => address))]);
    const wanted = rows.filter(({ is_wanted }) => is_wanted);
    const possible = this.#possible(wanted);
    try {
      await this.#give(possible.map(entryOf));
    } catch (error) {
      await this.#record(wanted, failForwards);
      throw new ComputeUnavailableError(`forwards are not in force: ${(error as Error).message}`, {
        cause: error,
      });
    }
    const removed = rows.filter(({ status }) => status === 'removing');
    await this.#record([...possible, ...removed], settleForwards);
    await this.#record(
      wanted.filter((row) => !possible.includes(row)),
      failForwards,
    );
  }

  /** Returns the forwards that the host's own configuration allows: one that it forbids must not prevent all others. */
  #possible(wanted: ForwardRow[]): ForwardRow[] {
    const { gateway, logger } = this.#parts;
    const { publicPorts, guestPrefixes } = gateway.capabilities();
    const ranges = new PublicPortRanges(publicPorts);
    const isGuest = addressMatcher(guestPrefixes);
    const isPossible = (row: ForwardRow) =>
      ranges.hasPorts(row.public_ip, row.external_port) && isGuest(row.internal_ip);
    const refused = wanted.filter((row) => !isPossible(row)).map(({ id }) => id);
    if (refused.join() !== this.#refused)
      logger.warn({ forwards: refused }, 'ports are forwarded that gateway.yaml does not allow');
    this.#refused = refused.join();
    return wanted.filter(isPossible);
  }

  async #give(entries: PortForwardEntry[]): Promise<void> {
    const { gateway, clock } = this.#parts;
    const text = JSON.stringify(entries);
    const at = clock.now().getTime();
    if (this.#given?.text === text && at - this.#given.at < AGAIN_EVERY_MS) return;
    const doubts = this.#doubts;
    this.#given = undefined;
    await gateway.applyForwards(entries);
    if (this.#doubts === doubts) this.#given = { text, at };
  }

  /** Records the result for forwards that were not yet active, one VM at a time. */
  async #record(
    rows: ForwardRow[],
    record: (db: Database, vmId: string, rows: ForwardRow[]) => Promise<void>,
  ): Promise<void> {
    const underWay = rows.filter(({ status }) => status !== 'active');
    for (const [vmId, ofVm] of Map.groupBy(underWay, ({ vm_id }) => vm_id)) {
      await record(this.#parts.db, vmId, ofVm);
    }
  }
}

function entryOf(row: ForwardRow): PortForwardEntry {
  return {
    protocol: row.protocol,
    publicIp: row.public_ip,
    externalPort: row.external_port,
    internalIp: row.internal_ip,
    internalPort: row.internal_port,
  };
}
