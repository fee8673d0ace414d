import type { Queryable } from '../db/database.ts';
import { readRollUps, readSamples, type SeriesStore } from '../db/queries/vms/metrics.ts';
import { Averages, type Point } from './averages.ts';
import { SAMPLE_MS } from './metering.ts';
import { FIVE_MINUTES, floorTo, keptSince, MINUTES, type RollUp } from './retention.ts';
import type { Window } from './window.ts';

interface Request<R extends string> {
  /** The store of the series, and the id of their subject. */
  store: SeriesStore<R>;
  id: string;
  names: readonly R[];
  window: Window;
  now: Date;
}

/**
 * Returns the requested series of one subject. Each part of the window is read from the finest resolution that is still
 * kept.
 */
export async function readMetrics<R extends string>(
  db: Queryable,
  request: Request<R>,
): Promise<Map<R, Point[]>> {
  const averages = new Map(request.names.map((name) => [name, new Averages(request.window)]));
  const { start, end } = request.window;
  const since = keptSince(request.now);
  const part = (from: Date, to: Date) => ({ from: start > from ? start : from, to: end < to ? end : to });
  await addRollUps(db, request, FIVE_MINUTES, part(since.fiveMinutes, since.minutes), averages);
  await addRollUps(db, request, MINUTES, part(since.minutes, since.samples), averages);
  await addSamples(db, request, part(since.samples, end), averages);
  return new Map([...averages].map(([name, series]) => [name, series.points()]));
}

interface Part {
  from: Date;
  to: Date;
}

async function addSamples<R extends string>(
  db: Queryable,
  { store, id }: Request<R>,
  part: Part,
  averages: Map<R, Averages>,
): Promise<void> {
  if (part.from >= part.to) return;
  const samples = await readSamples(db, store, id, part);
  if (!samples) return;
  for (const [name, series] of averages) {
    for (const [index, value] of samples[name].entries()) {
      series.add(samples.at[index]! * 1000, value, SAMPLE_MS);
    }
  }
}

async function addRollUps<R extends string>(
  db: Queryable,
  { store, id }: Request<R>,
  { stepMs, chunkMs }: RollUp,
  { from, to }: Part,
  averages: Map<R, Averages>,
): Promise<void> {
  if (from >= to) return;
  const steps = chunkMs / stepMs;
  const chunks = await readRollUps(db, store, id, stepMs / 1000, { from: floorTo(from, chunkMs), to });
  for (const { chunk_start, points } of chunks) {
    for (const [name, series] of averages) {
      const offset = store.readings.indexOf(name) * steps;
      for (let step = 0; step < steps; step++) {
        series.add(chunk_start.getTime() + step * stepMs, points[offset + step]!, stepMs);
      }
    }
  }
}
