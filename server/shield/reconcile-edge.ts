import type { Leadership } from '../cluster/leadership.ts';
import type { Database } from '../db/database.ts';
import {
  deleteProxyRules,
  effectiveShieldRules,
  expireShieldRules,
  failPendingRules,
  failTarget,
  settleTargets,
  suspendTargetRules,
  targetsWithFailedRules,
} from '../db/queries/shield/shield-rules.ts';
import {
  deleteTargetRow,
  forgetBlackhole,
  systemBlackholes,
  systemFindTarget,
  systemTargets,
  type TargetRow,
  targetsBehind,
} from '../db/queries/shield/shield-targets.ts';
import type { EdgeDriver, EdgeRefusal, EdgeTarget } from '../edge/driver.ts';
import { addressMatcher } from '../platform/cidr.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logging.ts';
import { Reconciler } from '../platform/reconciler.ts';

/** Targets updated in one round; the next round continues with the rest. */
const BATCH = 100;
/** Targets whose rules are recorded as active in one transaction after a full write. */
const SETTLED_AT_ONCE = 500;
/** Delays between attempts to write everything to an edge that is down; each is twice the previous one. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

export interface EdgeReconcilerParts {
  db: Database;
  edge: EdgeDriver;
  clock: Clock;
  logger: Logger;
  leadership: Leadership;
}

const isOnEdge = ({ mode, removed_at }: TargetRow) => mode !== 'off' && removed_at === null;

/**
 * Makes the edge's rules match the database. The database is the source of truth: it is written first, and anything
 * the edge missed is corrected here, when kicked or in the next round. There is one writer: only the leading node
 * writes, one thing at a time, and changes to a target that arrive during a write are combined into the next one.
 */
export class EdgeReconciler {
  readonly #parts: EdgeReconcilerParts;
  readonly #dirty = new Set<string>();
  /** The edge's state is unknown, so everything must be written again. */
  #isLost = true;
  /** When a failed full write is retried, in epoch milliseconds, and the delay before that retry. */
  #retryAt = 0;
  #pauseMs = 0;
  #epoch: string | undefined;
  readonly #reconciler = new Reconciler({
    run: () => this.#writeDirty(),
    onFailure: (error) => this.#parts.logger.warn({ err: error }, 'the edge could not be reconciled'),
  });

  constructor(parts: EdgeReconcilerParts) {
    this.#parts = parts;
    parts.edge.onAltered?.(() => this.noticeAltered());
  }

  /** Updates a target soon, in the background, if this node leads. A failure is left to the next round. */
  kick(targetId: string): void {
    this.#dirty.add(targetId);
    this.#reconciler.kick();
  }

  /** Ends expired rules and updates every target that lags behind. */
  async reconcile(): Promise<void> {
    const { db, clock, leadership } = this.#parts;
    if (!(await leadership.holds())) {
      this.#isLost = true;
      return;
    }
    await expireShieldRules(db, clock.now());
    // Otherwise all of them are written anyway.
    if (!this.#isLost) for (const id of await targetsBehind(db, BATCH)) this.#dirty.add(id);
    await this.#reconciler.run();
  }

  /** Called with every reading. If the edge's counters have restarted, it may have lost its rules as well. */
  noticeEpoch(epoch: string): void {
    if (this.#epoch !== undefined && this.#epoch !== epoch) this.#isLost = true;
    this.#epoch = epoch;
  }

  /** Called when the edge may no longer hold the rules it was given. Writes all of them again immediately. */
  noticeAltered(): void {
    this.#isLost = true;
    this.#retryAt = 0;
    this.#reconciler.kick();
  }

  /** Resolves when nothing is being written. */
  idle(): Promise<void> {
    return this.#reconciler.idle();
  }

  /** Stops for good and waits for the current write, for an orderly stop of the service. */
  stop(): Promise<void> {
    return this.#reconciler.close();
  }

  async #writeDirty(): Promise<void> {
    const { clock, leadership, logger } = this.#parts;
    try {
      if (!(await leadership.holds())) return this.#dirty.clear();
      if (this.#isLost) {
        // An edge that is down is retried less and less often, because each attempt sends all of its rules.
        if (clock.now().getTime() < this.#retryAt) return this.#dirty.clear();
        await this.#writeAll();
      }
    } catch (error) {
      return logger.warn({ err: error }, 'the edge could not be reconciled');
    }
    await this.#blackholes();
    await this.#writeChanged();
  }

  async #writeChanged(): Promise<void> {
    while (this.#dirty.size > 0) {
      const id = this.#dirty.values().next().value!;
      this.#dirty.delete(id);
      await this.#write(id).catch((error) =>
        this.#parts.logger.warn({ err: error, target_id: id }, 'rules were not put on the edge'),
      );
    }
  }

  /** Makes the edge match the database completely. */
  async #writeAll(): Promise<void> {
    const { db, edge, clock, logger } = this.#parts;
    // The edge may have been reconfigured: until such rules expire, they would prevent others from being written.
    if (!edge.capabilities().synProxy) await deleteProxyRules(db);
    const targets = await systemTargets(db);
    const isServed = this.#isServed();
    const present = targets.filter((target) => isOnEdge(target) && isServed(target.ip));
    // Cleared before writing, so that an alteration noticed in the meantime sets it again.
    this.#isLost = false;
    const failed = new Set(await targetsWithFailedRules(db));
    let refused: EdgeRefusal[];
    try {
      ({ refused = [] } = await edge.reconcile(await this.#withRules(present)));
    } catch (error) {
      this.#pauseMs = Math.min(Math.max(this.#pauseMs * 2, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
      this.#retryAt = clock.now().getTime() + this.#pauseMs;
      this.#isLost = true;
      await failPendingRules(db);
      throw error;
    }
    this.#pauseMs = 0;
    const now = clock.now();
    for (const { targetId } of refused) failed.add(targetId);
    const isToSettle = ({ id, applied, generation }: TargetRow) => applied < generation || failed.has(id);
    const written = present.filter(isToSettle);
    const ruleIds = refused.map(({ ruleId }) => ruleId);
    for (let from = 0; from < written.length; from += SETTLED_AT_ONCE) {
      const some = written.slice(from, from + SETTLED_AT_ONCE);
      await db.transaction((tx) => settleTargets(tx, some, { now, refused: ruleIds }));
      // A customer's change does not wait for all other targets to be recorded.
      await this.#writeChanged();
    }
    for (const target of targets.filter(isToSettle)) {
      if (!isOnEdge(target)) await this.#settle(target, now, []);
      else if (!isServed(target.ip))
        await db.transaction((tx) => failTarget(tx, target.id, target.generation));
    }
    this.#warnOfRefused(refused);
    logger.info({ targets: present.length }, 'edge reconciled');
  }

  /**
   * Returns a function that returns whether an address can be on this edge at all: one that cannot must not block the
   * others.
   */
  #isServed(): (ip: string) => boolean {
    const { prefixes } = this.#parts.edge.capabilities();
    return prefixes ? addressMatcher(prefixes) : () => true;
  }

  async #write(id: string): Promise<void> {
    const { db, edge, clock } = this.#parts;
    const target = await systemFindTarget(db, id);
    if (!target) return;
    let refused: EdgeRefusal[] = [];
    try {
      if (isOnEdge(target)) {
        ({ refused = [] } = await edge.putTarget((await this.#withRules([target]))[0]!));
      } else await edge.removeTarget(id);
    } catch (error) {
      await db.transaction((tx) => failTarget(tx, id, target.generation));
      throw error;
    }
    await this.#settle(target, clock.now(), refused);
  }

  /** Starts requested blackholes and ends expired ones. */
  async #blackholes(): Promise<void> {
    const { db, edge, clock, logger } = this.#parts;
    for (const blackhole of await systemBlackholes(db)) {
      const { id, until } = blackhole;
      const isOn = until > clock.now();
      try {
        await edge.blackhole(id, isOn);
        if (isOn) continue;
        await forgetBlackhole(db, blackhole);
        logger.info({ target_id: id }, 'blackhole ended');
      } catch (error) {
        logger.warn({ err: error, target_id: id }, isOn ? 'blackhole not begun' : 'blackhole not ended');
      }
    }
  }

  async #settle(target: TargetRow, now: Date, refusals: EdgeRefusal[]): Promise<void> {
    const { id, generation } = target;
    const refused = refusals.map(({ ruleId }) => ruleId);
    this.#warnOfRefused(refusals);
    await this.#parts.db.transaction(async (tx) => {
      if (target.removed_at) await deleteTargetRow(tx, id);
      else if (isOnEdge(target)) await settleTargets(tx, [target], { now, refused });
      else await suspendTargetRules(tx, id, generation);
    });
  }

  #warnOfRefused(refused: EdgeRefusal[]): void {
    if (refused.length > 0) this.#parts.logger.warn({ refused }, 'this edge cannot express these rules');
  }

  async #withRules(targets: TargetRow[]): Promise<EdgeTarget[]> {
    const { db, clock } = this.#parts;
    const ids = targets.map(({ id }) => id);
    const rules = Map.groupBy(await effectiveShieldRules(db, ids, clock.now()), (rule) => rule.target_id);
    return targets.map(({ id, ip, family }) => ({
      id,
      ip,
      family,
      rules: (rules.get(id) ?? []).map(({ target_id: _, priority: __, ...rule }) => rule),
    }));
  }
}
