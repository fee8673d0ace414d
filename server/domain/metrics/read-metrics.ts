import type { Queryable } from '../../db/database.ts';
import { READINGS, type Reading, readRollUps, readSamples } from '../../db/queries/metrics.ts';
import { Averages, type Point } from './averages.ts';
import { SAMPLE_MS } from './metering.ts';
import { FIVE_MINUTES, floorTo, keptSince, MINUTES, type RollUp } from './retention.ts';
import type { Window } from './window.ts';

interface Request {
  vmId: string;
  names: readonly Reading[];
  window: Window;
  now: Date;
}

/** The asked series of a VM, each part of the window read from the finest resolution that is kept of it. */
export async function readMetrics(db: Queryable, request: Request): Promise<Map<Reading, Point[]>> {
  const averages = new Map(request.names.map((name) => [name, new Averages(request.window)]));
  const { start, end } = request.window;
  const since = keptSince(request.now);
  const part = (from: Date, to: Date) => ({ from: start > from ? start : from, to: end < to ? end : to });
  await addRollUps(db, request.vmId, FIVE_MINUTES, part(since.fiveMinutes, since.minutes), averages);
  await addRollUps(db, request.vmId, MINUTES, part(since.minutes, since.samples), averages);
  await addSamples(db, request.vmId, part(since.samples, end), averages);
  return new Map([...averages].map(([name, series]) => [name, series.points()]));
}

interface Part {
  from: Date;
  to: Date;
}

async function addSamples(db: Queryable, vmId: string, { from, to }: Part, averages: Map<Reading, Averages>) {
  if (from >= to) return;
  const samples = await readSamples(db, vmId, from, to);
  if (!samples) return;
  for (const [name, series] of averages) {
    for (const [index, value] of samples[name].entries()) {
      series.add(samples.at[index]! * 1000, value, SAMPLE_MS);
    }
  }
}

async function addRollUps(
  db: Queryable,
  vmId: string,
  { stepMs, chunkMs }: RollUp,
  { from, to }: Part,
  averages: Map<Reading, Averages>,
) {
  if (from >= to) return;
  const steps = chunkMs / stepMs;
  const chunks = await readRollUps(db, vmId, stepMs / 1000, floorTo(from, chunkMs), to);
  for (const { chunk_start, points } of chunks) {
    for (const [name, series] of averages) {
      const offset = READINGS.indexOf(name) * steps;
      for (let step = 0; step < steps; step++) {
        series.add(chunk_start.getTime() + step * stepMs, points[offset + step]!, stepMs);
      }
    }
  }
}
