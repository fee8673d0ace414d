import type { ComputeDriver } from '../compute/driver.ts';
import type { Database } from '../db/database.ts';
import { addTraffic, isoDate } from '../db/queries/bandwidth.ts';
import {
  deleteRollUps,
  deleteSamples,
  deleteStrayCounters,
  rollUpFiveMinutes,
  rollUpMinutes,
  vmsWithoutFiveMinutes,
  vmsWithoutMinutes,
} from '../db/queries/metric-rollups.ts';
import {
  firstMinutesSince,
  firstSampleSince,
  insertSamples,
  lockMetering,
  meteredVmIds,
  readCounters,
  saveCounters,
} from '../db/queries/metrics.ts';
import { countersOf, meter } from '../domain/metrics/metering.ts';
import {
  closedUntil,
  FIVE_MINUTES,
  floorTo,
  keptSince,
  MINUTES,
  type RollUp,
  sampledInterval,
} from '../domain/metrics/retention.ts';
import type { Logger } from '../platform/logging.ts';

/** Guests asked for in one call to the engine and written in one transaction. */
const SAMPLE_BATCH = 1_000;
/** Rows deleted by one statement. With the batches below: about 100 ms of the embedded engine's only thread. */
const DELETE_BATCH = 10_000;

/** How the rows of one resolution are made from the next finer one. */
interface Level {
  rollUp: RollUp;
  /** VMs rolled up by one statement. */
  batch: number;
  /** The first row of the finer resolution at or after an instant. */
  firstSince: typeof firstSampleSince;
  due: typeof vmsWithoutMinutes;
  write: typeof rollUpMinutes;
}

const LEVELS: readonly Level[] = [
  { rollUp: MINUTES, batch: 100, firstSince: firstSampleSince, due: vmsWithoutMinutes, write: rollUpMinutes },
  {
    rollUp: FIVE_MINUTES,
    batch: 4,
    firstSince: firstMinutesSince,
    due: vmsWithoutFiveMinutes,
    write: rollUpFiveMinutes,
  },
];

export interface SamplerParts {
  db: Database;
  compute: ComputeDriver;
  logger: Logger;
}

/** Reads what guests use, and condenses it as it ages. Any number of nodes may do so at the same time. */
export class MetricsSampler {
  readonly #db: Database;
  readonly #compute: ComputeDriver;
  readonly #logger: Logger;
  /** Everything from before this is rolled up, by level; forgotten by a restart, which then looks again. */
  readonly #doneUntil = new Map<Level, Date>();

  constructor({ db, compute, logger }: SamplerParts) {
    this.#db = db;
    this.#compute = compute;
    this.#logger = logger;
  }

  /**
   * Reads every running guest once: to be called at every multiple of ten seconds. A batch that fails is
   * logged and leaves a gap.
   */
  async sample(now: Date): Promise<void> {
    let afterId = '';
    for (;;) {
      const ids = await meteredVmIds(this.#db, afterId, SAMPLE_BATCH);
      if (ids.length === 0) return;
      await this.#sampleBatch(ids, sampledInterval(now)).catch((error) =>
        this.#logger.warn({ err: error, vms: ids.length }, 'metrics not sampled'),
      );
      if (ids.length < SAMPLE_BATCH) return;
      afterId = ids.at(-1)!;
    }
  }

  async #sampleBatch(ids: string[], interval: Date): Promise<void> {
    const samples = await this.#compute.sample(ids);
    await this.#db.transaction(async (tx) => {
      await lockMetering(tx);
      const previous = new Map((await readCounters(tx, ids)).map((row) => [row.vm_id, row]));
      const metered = samples.flatMap((sample) => {
        const result = meter(sample, previous.get(sample.id));
        return result ? [{ sample, ...result }] : [];
      });
      if (metered.length === 0) return;
      await saveCounters(
        tx,
        metered.map(({ sample }) => ({ vm_id: sample.id, at: sample.at, counters: countersOf(sample) })),
      );
      await insertSamples(
        tx,
        metered.map(({ sample, readings }) => ({ vm_id: sample.id, at: interval, ...readings })),
      );
      await addTraffic(
        tx,
        metered.map(({ sample, inBytes, outBytes }) => ({
          vm_id: sample.id,
          date: isoDate(interval),
          in_bytes: inBytes,
          out_bytes: outBytes,
        })),
      );
    });
  }

  /**
   * Averages every hour and every day that has ended since, then deletes what is older than its resolution is
   * kept. Cheap when there is nothing to do, so it may be called every minute.
   */
  async rollUp(now: Date): Promise<void> {
    for (const level of LEVELS) await this.#catchUp(level, closedUntil(now, level.rollUp));
    await this.#forget(now);
  }

  async #catchUp(level: Level, closed: Date): Promise<void> {
    let from = this.#doneUntil.get(level) ?? new Date(0);
    for (;;) {
      const first = await level.firstSince(this.#db, from);
      if (!first || first >= closed) break;
      const chunk = floorTo(first, level.rollUp.chunkMs);
      const due = await level.due(this.#db, chunk);
      for (let at = 0; at < due.length; at += level.batch) {
        await level.write(this.#db, due.slice(at, at + level.batch), chunk);
      }
      from = new Date(chunk.getTime() + level.rollUp.chunkMs);
    }
    this.#doneUntil.set(level, closed);
  }

  async #forget(now: Date): Promise<void> {
    const since = keptSince(now);
    const minutes = MINUTES.stepMs / 1000;
    const fiveMinutes = FIVE_MINUTES.stepMs / 1000;
    const deleted =
      (await inBatches((limit) => deleteSamples(this.#db, since.samples, limit))) +
      (await inBatches((limit) => deleteRollUps(this.#db, minutes, since.minutes, limit))) +
      (await inBatches((limit) => deleteRollUps(this.#db, fiveMinutes, since.fiveMinutes, limit)));
    if (deleted > 0) await deleteStrayCounters(this.#db);
  }
}

/** Deletes until nothing is left; how much there was. */
async function inBatches(deleteSome: (limit: number) => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const deleted = await deleteSome(DELETE_BATCH);
    total += deleted;
    if (deleted < DELETE_BATCH) return total;
  }
}
