import type { Queryable } from '../db/database.ts';
import { EDGE_READINGS, EDGE_SERIES, type EdgeReadingName } from '../db/queries/shield/edge-series.ts';
import type { TargetTotals } from '../edge/driver.ts';
import type { Point } from '../metering/averages.ts';
import { SAMPLE_MS } from '../metering/metering.ts';
import { readMetrics } from '../metering/read-metrics.ts';
import type { Window } from '../metering/window.ts';

/** A rate over a longer time would smear a short flood over a long silence, so that time becomes a gap. */
const LONGEST_RATE_INTERVALS = 2;

/** The edge's counters of a target at one reading. */
export interface EdgeCounters {
  epoch: string;
  passedPackets: number;
  passedBytes: number;
  droppedPackets: number;
  droppedBytes: number;
  outBytes: number | null;
}

export function countersOf({ in: all, passed, outBytes }: TargetTotals, epoch: string): EdgeCounters {
  return {
    epoch,
    passedPackets: passed.packets,
    passedBytes: passed.bytes,
    droppedPackets: all.packets - passed.packets,
    droppedBytes: all.bytes - passed.bytes,
    outBytes,
  };
}

type Readings = Record<EdgeReadingName, number | null>;

/**
 * Returns the rates between two readings; undefined if they are unknown: at the first reading, after a long silence,
 * or after the counters restarted.
 */
export function edgeReadings(
  now: { at: Date; counters: EdgeCounters },
  before: { at: Date; counters: EdgeCounters } | undefined,
): Readings | undefined {
  if (before?.counters.epoch !== now.counters.epoch) return undefined;
  const elapsedMs = now.at.getTime() - before.at.getTime();
  const intervals = Math.round(elapsedMs / SAMPLE_MS);
  if (intervals < 1 || intervals > LONGEST_RATE_INTERVALS) return undefined;
  const since = (name: Exclude<keyof EdgeCounters, 'epoch'>) => {
    const [last, first] = [now.counters[name], before.counters[name]];
    return last === null || first === null ? null : last - first;
  };
  const rate = (value: number | null, factor: number) =>
    value === null ? null : (value * factor * 1000) / elapsedMs;
  const readings = {
    passed_bps: rate(since('passedBytes'), 8),
    passed_pps: rate(since('passedPackets'), 1),
    dropped_bps: rate(since('droppedBytes'), 8),
    dropped_pps: rate(since('droppedPackets'), 1),
    out_bps: rate(since('outBytes'), 8),
  };
  return Object.values(readings).some((value) => value !== null && value < 0) ? undefined : readings;
}

/** The API's series and their units, in the order of the contract. */
export const TRAFFIC_SERIES = {
  in_bps: 'bits_per_second',
  in_pps: 'packets_per_second',
  passed_bps: 'bits_per_second',
  passed_pps: 'packets_per_second',
  dropped_bps: 'bits_per_second',
  dropped_pps: 'packets_per_second',
  out_bps: 'bits_per_second',
} as const;
export type TrafficSeries = keyof typeof TRAFFIC_SERIES;

/** Returns the summed series of several targets; a step that is known for none of them is null. */
export async function readTraffic(
  db: Queryable,
  request: { targetIds: string[]; window: Window; now: Date },
): Promise<Record<TrafficSeries, Point[]>> {
  const sums = new Map<EdgeReadingName, Point[]>();
  for (const id of request.targetIds) {
    const { window, now } = request;
    const series = await readMetrics(db, { store: EDGE_SERIES, id, names: EDGE_READINGS, window, now });
    for (const [name, points] of series) sums.set(name, addPoints(sums.get(name), points));
  }
  if (sums.size === 0) {
    const { window, now } = request;
    const empty = await readMetrics(db, { store: EDGE_SERIES, id: '', names: EDGE_READINGS, window, now });
    for (const [name, points] of empty) sums.set(name, points);
  }
  // Whole numbers, so that the parts add up exactly.
  const of = (name: EdgeReadingName) =>
    sums.get(name)!.map(([at, value]): Point => [at, value === null ? null : Math.round(value)]);
  const [passedBps, passedPps, droppedBps, droppedPps] = [
    of('passed_bps'),
    of('passed_pps'),
    of('dropped_bps'),
    of('dropped_pps'),
  ];
  return {
    in_bps: addPoints(passedBps, droppedBps),
    in_pps: addPoints(passedPps, droppedPps),
    passed_bps: passedBps,
    passed_pps: passedPps,
    dropped_bps: droppedBps,
    dropped_pps: droppedPps,
    out_bps: of('out_bps'),
  };
}

function addPoints(a: Point[] | undefined, b: Point[]): Point[] {
  if (!a) return b;
  return a.map(([at, value], index): Point => {
    const other = b[index]![1];
    return [at, value === null ? other : other === null ? value : value + other];
  });
}
