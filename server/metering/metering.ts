import type { GuestSample } from '../compute/driver.ts';
import { COUNTERS, type Counters, type Reading } from '../db/queries/vms/metrics.ts';

/** Interval between two samples of a guest. */
export const SAMPLE_MS = 10_000;
/** A rate over more intervals than this would spread a short event over a long silence, so that time is a gap. */
const LONGEST_RATE_INTERVALS = 2;

/** The values of one interval; null if unknown. */
export type Readings = Record<Reading, number | null>;

export interface Metered {
  readings: Readings;
  /** Bytes since the previous reading. */
  inBytes: number;
  outBytes: number;
}

const JUST_POWERED_ON = counters(() => 0);

/** Returns the cumulative part of a sample. */
export function countersOf(sample: GuestSample): Counters {
  return counters((name) => sample[name]);
}

function counters(value: (name: keyof Counters) => number): Counters {
  return Object.fromEntries(COUNTERS.map((name) => [name, value(name)])) as Counters;
}

/**
 * Returns what happened between two readings of a guest. A first reading, or one after a restart (a counter fell) or a
 * long silence, has no rates, because it is unknown how the time was spent; its traffic still counts. Undefined if
 * another node read the guest less than half an interval ago.
 */
export function meter(
  sample: GuestSample,
  previous: { at: Date; counters: Counters } | undefined,
): Metered | undefined {
  const elapsedMs = previous ? sample.at.getTime() - previous.at.getTime() : Infinity;
  const intervals = Math.round(elapsedMs / SAMPLE_MS);
  if (intervals < 1) return undefined;
  const continues = previous && COUNTERS.every((name) => sample[name] >= previous.counters[name]);
  const before = continues ? previous.counters : JUST_POWERED_ON;
  const isRateKnown = continues && intervals <= LONGEST_RATE_INTERVALS;
  return {
    readings: {
      ...(isRateKnown ? rates(before, sample, elapsedMs / 1000) : NO_RATES),
      ram_used_bytes: sample.ramUsedBytes,
    },
    inBytes: sample.netInBytes - before.netInBytes,
    outBytes: sample.netOutBytes - before.netOutBytes,
  };
}

type Rates = Omit<Readings, 'ram_used_bytes'>;

const NO_RATES: Rates = {
  cpu_percent: null,
  disk_read_bytes_per_second: null,
  disk_write_bytes_per_second: null,
  disk_read_iops: null,
  disk_write_iops: null,
  net_in_bps: null,
  net_out_bps: null,
  net_in_pps: null,
  net_out_pps: null,
};

function rates(before: Counters, now: GuestSample, seconds: number): Rates {
  const perSecond = (name: keyof Counters) => (now[name] - before[name]) / seconds;
  return {
    // The clocks of the guest and the engine can differ slightly: a full CPU must not read 101 %.
    cpu_percent: Math.min(100, (100 * perSecond('cpuSeconds')) / now.vcpu),
    disk_read_bytes_per_second: perSecond('diskReadBytes'),
    disk_write_bytes_per_second: perSecond('diskWriteBytes'),
    disk_read_iops: perSecond('diskReadOps'),
    disk_write_iops: perSecond('diskWriteOps'),
    net_in_bps: 8 * perSecond('netInBytes'),
    net_out_bps: 8 * perSecond('netOutBytes'),
    net_in_pps: perSecond('netInPackets'),
    net_out_pps: perSecond('netOutPackets'),
  };
}
