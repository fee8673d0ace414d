import type { Database } from '../db/database.ts';
import { EDGE_SERIES, presentTargets } from '../db/queries/shield/edge-series.ts';
import { insertSamples, readCounters, saveCounters } from '../db/queries/vms/metrics.ts';
import type { EdgeDriver } from '../edge/driver.ts';
import { sampledInterval } from '../metering/retention.ts';
import { SeriesRollUp } from '../metering/roll-up-series.ts';
import { countersOf, type EdgeCounters, edgeReadings } from './traffic.ts';

/** Records how much traffic passed the edge and how much it dropped. Only one node at a time may run it. */
export class EdgeSampler {
  readonly #db: Database;
  readonly #edge: EdgeDriver;
  readonly #rollUp: SeriesRollUp;

  constructor({ db, edge }: { db: Database; edge: EdgeDriver }) {
    this.#db = db;
    this.#edge = edge;
    this.#rollUp = new SeriesRollUp(db, EDGE_SERIES);
  }

  /** Reads every target once. Call it at every multiple of ten seconds. */
  async sample(now: Date): Promise<void> {
    const { epoch, at, rows } = await this.#edge.readTotals();
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    await this.#db.transaction(async (tx) => {
      const before = await readCounters<EdgeCounters>(tx, EDGE_SERIES, ids);
      const known = new Map(before.map((row) => [row.subject, row]));
      const present = await presentTargets(tx, ids);
      const read = rows
        .filter(({ id }) => present.has(id))
        .map((totals) => ({ subject: totals.id, at, counters: countersOf(totals, epoch) }));
      if (read.length === 0) return;
      const samples = read.flatMap((row) => {
        const readings = edgeReadings(row, known.get(row.subject));
        return readings ? [{ subject: row.subject, at: sampledInterval(now), ...readings }] : [];
      });
      await saveCounters(tx, EDGE_SERIES, read);
      if (samples.length > 0) await insertSamples(tx, EDGE_SERIES, samples);
    });
  }

  /** Condenses older samples. */
  rollUp(now: Date): Promise<void> {
    return this.#rollUp.run(now);
  }
}
