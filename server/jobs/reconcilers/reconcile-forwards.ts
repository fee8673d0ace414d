import { ComputeUnavailableError, type PortForwardEntry } from '../../compute/driver.ts';
import type { Database } from '../../db/database.ts';
import { type ForwardRow, failForwards, forwardsAt, settleForwards } from '../../db/queries/forwards.ts';
import type { Signals } from '../../db/signals.ts';
import type { GatewayDriver } from '../../gateway/driver.ts';
import { addressMatcher } from '../../platform/cidr.ts';
import type { Clock } from '../../platform/clock.ts';
import { PublicPortRanges } from '../../platform/helper/forwards.ts';
import type { Logger } from '../../platform/logging.ts';

/** As often the gateway is given all forwards again, although nothing is known to have changed. */
const AGAIN_EVERY_MS = 60_000;

interface ReconcilerParts {
  db: Database;
  gateway: GatewayDriver;
  signals: Signals;
  clock: Clock;
  logger: Logger;
}

/**
 * Makes the forwards of this node's gateway those of the database, all of them each time, so that gateways have no state of
 * their own. A forward is active, or gone, once one gateway has it so; others follow within moments, by the same signal.
 * On a node that is no gateway it does nothing.
 */
export class ForwardReconciler {
  readonly #parts: ReconcilerParts;
  #last: Promise<void> = Promise.resolve();
  /** A run that has not begun yet: it sees whatever is committed by now. */
  #next: Promise<void> | undefined;
  #isBehind: boolean;
  /** What the gateway was given last, and when; undefined where it may hold something else. */
  #given: { text: string; at: number } | undefined;
  /** How often something has raised a doubt about what the gateway holds. */
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

  /** Whether gateways make forwards, here or on other nodes, and so the engine is given none. */
  get byGateway(): boolean {
    return this.#parts.gateway.capabilities().forwards !== 'nowhere';
  }

  /** Whether this node is a gateway that has not what it should have, as far as is known: it should not be sent traffic. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Whether this node is a gateway. */
  get isHere(): boolean {
    return this.#parts.gateway.capabilities().forwards === 'here';
  }

  /** Resolves when what the database says now is in force on this gateway; throws {@link ComputeUnavailableError}. */
  apply(): Promise<void> {
    if (!this.isHere) return Promise.resolve();
    if (!this.#next) {
      this.#next = this.#last
        .catch(() => {})
        .then(() => {
          this.#next = undefined;
          return this.#run();
        })
        .then(
          () => {
            this.#isBehind = false;
          },
          (error) => {
            this.#isBehind = true;
            throw error;
          },
        );
      this.#last = this.#next;
    }
    return this.#next;
  }

  /** The same soon, in the background; a failure is left to the next round. */
  kick(): void {
    this.apply().catch((error) => this.#parts.logger.warn({ err: error }, 'forwards not applied'));
  }

  /** Resolves when nothing is being applied: for an orderly stop. */
  async idle(): Promise<void> {
    await this.#last.catch(() => {});
  }

  async #run(): Promise<void> {
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

  /** Those that the host's own configuration allows: another must not keep all others from being made. */
  #possible(wanted: ForwardRow[]): ForwardRow[] {
    const { gateway, logger } = this.#parts;
    const { publicPorts, guestPrefixes } = gateway.capabilities();
    const ranges = new PublicPortRanges(publicPorts);
    const isGuest = addressMatcher(guestPrefixes);
    const isPossible = (row: ForwardRow) =>
      ranges.hasPorts(row.public_ip, row.external_port) && isGuest(row.internal_ip);
    const refused = wanted.filter((row) => !isPossible(row)).map(({ id }) => id);
    if (refused.join() !== this.#refused)
      logger.warn({ forwards: refused }, 'what is forwarded that gateway.yaml does not allow');
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

  /** Records what has become of those that were not active yet, VM by VM. */
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
