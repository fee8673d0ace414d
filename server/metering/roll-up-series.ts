import type { Database } from '../db/database.ts';
import {
  deleteRollUps,
  deleteSamples,
  deleteStrayCounters,
  rollUpFiveMinutes,
  rollUpMinutes,
  withoutFiveMinutes,
  withoutMinutes,
} from '../db/queries/vms/metric-rollups.ts';
import { firstMinutesSince, firstSampleSince, type SeriesStore } from '../db/queries/vms/metrics.ts';
import { inBatches } from '../platform/in-batches.ts';
import { closedUntil, FIVE_MINUTES, floorTo, keptSince, MINUTES, type RollUp } from './retention.ts';

/** Rows deleted per statement. Like the batches below, this takes about 100 ms of the embedded engine's only thread. */
const DELETE_BATCH = 10_000;

/** The statements that make the rows of a resolution from the next finer one. */
interface Level {
  rollUp: RollUp;
  /** Subjects rolled up per statement. */
  batch: number;
  /** Finds the first row of the finer resolution at or after an instant. */
  firstSince: typeof firstSampleSince;
  due: typeof withoutMinutes;
  write: typeof rollUpMinutes;
}

const LEVELS: readonly Level[] = [
  { rollUp: MINUTES, batch: 100, firstSince: firstSampleSince, due: withoutMinutes, write: rollUpMinutes },
  {
    rollUp: FIVE_MINUTES,
    batch: 4,
    firstSince: firstMinutesSince,
    due: withoutFiveMinutes,
    write: rollUpFiveMinutes,
  },
];

/** Rolls up the samples of a store as they age. Any number of nodes may do so at the same time. */
export class SeriesRollUp {
  readonly #db: Database;
  readonly #store: SeriesStore;
  /**
   * The instant before which everything is rolled up, by level. Lost in a restart, after which the database is checked
   * again.
   */
  readonly #doneUntil = new Map<Level, Date>();

  constructor(db: Database, store: SeriesStore) {
    this.#db = db;
    this.#store = store;
  }

  /**
   * Averages every hour and day that has ended since the last run, then deletes data beyond the retention of its
   * resolution. Cheap when there is nothing to do, so it may be called every minute.
   */
  async run(now: Date): Promise<void> {
    const closed = this.#doneUntil.get(LEVELS[0]!);
    for (const level of LEVELS) await this.#catchUp(level, closedUntil(now, level.rollUp));
    await this.#forget(now);
    // This scans every counter, so it only runs once per hour.
    if (closed?.getTime() !== this.#doneUntil.get(LEVELS[0]!)?.getTime())
      await deleteStrayCounters(this.#db, this.#store);
  }

  async #catchUp(level: Level, closed: Date): Promise<void> {
    let from = this.#doneUntil.get(level) ?? new Date(0);
    for (;;) {
      const first = await level.firstSince(this.#db, this.#store, from);
      if (!first || first >= closed) break;
      const chunk = floorTo(first, level.rollUp.chunkMs);
      const due = await level.due(this.#db, this.#store, chunk);
      for (let at = 0; at < due.length; at += level.batch) {
        await level.write(this.#db, this.#store, due.slice(at, at + level.batch), chunk);
      }
      from = new Date(chunk.getTime() + level.rollUp.chunkMs);
    }
    this.#doneUntil.set(level, closed);
  }

  async #forget(now: Date): Promise<void> {
    const since = keptSince(now);
    const minutes = MINUTES.stepMs / 1000;
    const fiveMinutes = FIVE_MINUTES.stepMs / 1000;
    const [db, store] = [this.#db, this.#store];
    await inBatches((limit) => deleteSamples(db, store, since.samples, limit), DELETE_BATCH);
    await inBatches((limit) => deleteRollUps(db, store, minutes, since.minutes, limit), DELETE_BATCH);
    await inBatches((limit) => deleteRollUps(db, store, fiveMinutes, since.fiveMinutes, limit), DELETE_BATCH);
  }
}
