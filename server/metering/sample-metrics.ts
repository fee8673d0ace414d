import type { ComputeDriver } from '../compute/driver.ts';
import type { Database } from '../db/database.ts';
import { addTraffic, isoDate } from '../db/queries/vms/bandwidth.ts';
import {
  insertSamples,
  lockMetering,
  meteredVmIds,
  readCounters,
  saveCounters,
  VM_SERIES,
} from '../db/queries/vms/metrics.ts';
import type { Logger } from '../platform/logging.ts';
import { countersOf, meter } from './metering.ts';
import { type RefusalParts, RefusalWatch } from './refused-packets.ts';
import { sampledInterval } from './retention.ts';
import { SeriesRollUp } from './roll-up-series.ts';

/** Guests sampled in one call to the engine and written in one transaction. */
const SAMPLE_BATCH = 1_000;
export interface SamplerParts {
  db: Database;
  compute: ComputeDriver;
  logger: Logger;
  metrics: RefusalParts['metrics'];
}

/**
 * Samples the usage of guests. If two nodes do so at the same time, as when the leader changes, nothing is counted
 * twice.
 */
export class MetricsSampler {
  readonly #db: Database;
  readonly #compute: ComputeDriver;
  readonly #logger: Logger;
  readonly #rollUp: SeriesRollUp;
  readonly #refusals: RefusalWatch;

  constructor({ db, compute, logger, metrics }: SamplerParts) {
    this.#refusals = new RefusalWatch({ logger, metrics });
    this.#db = db;
    this.#compute = compute;
    this.#logger = logger;
    this.#rollUp = new SeriesRollUp(db, VM_SERIES);
  }

  /**
   * Samples every running guest once. Must be called at every multiple of ten seconds. A batch that fails is logged and
   * leaves a gap.
   */
  async sample(now: Date): Promise<void> {
    let afterId = '';
    for (;;) {
      const ids = await meteredVmIds(this.#db, afterId, SAMPLE_BATCH);
      if (ids.length === 0) break;
      await this.#sampleBatch(ids, sampledInterval(now)).catch((error) =>
        this.#logger.warn({ err: error, vms: ids.length }, 'metrics not sampled'),
      );
      if (ids.length < SAMPLE_BATCH) break;
      afterId = ids.at(-1)!;
    }
    this.#refusals.endRound();
  }

  async #sampleBatch(ids: string[], interval: Date): Promise<void> {
    const samples = await this.#compute.sample(ids);
    this.#refusals.note(samples);
    await this.#db.transaction(async (tx) => {
      await lockMetering(tx);
      const previous = new Map((await readCounters(tx, VM_SERIES, ids)).map((row) => [row.subject, row]));
      const metered = samples.flatMap((sample) => {
        const result = meter(sample, previous.get(sample.id));
        return result ? [{ sample, ...result }] : [];
      });
      if (metered.length === 0) return;
      await saveCounters(
        tx,
        VM_SERIES,
        metered.map(({ sample }) => ({ subject: sample.id, at: sample.at, counters: countersOf(sample) })),
      );
      await insertSamples(
        tx,
        VM_SERIES,
        metered.map(({ sample, readings }) => ({ subject: sample.id, at: interval, ...readings })),
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

  /** Rolls up older samples: see {@link SeriesRollUp}. Cheap when there is nothing to do. */
  rollUp(now: Date): Promise<void> {
    return this.#rollUp.run(now);
  }
}
