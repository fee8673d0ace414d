import { SAMPLE_MS } from './metering.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Averages that are stored as one row per chunk of time. */
export interface RollUp {
  stepMs: number;
  chunkMs: number;
}
export const MINUTES: RollUp = { stepMs: MINUTE_MS, chunkMs: HOUR_MS };
export const FIVE_MINUTES: RollUp = { stepMs: 5 * MINUTE_MS, chunkMs: DAY_MS };

/** The retention of each resolution, in whole chunks before the current one. */
const SAMPLES_KEPT_MS = 2 * HOUR_MS;
const MINUTES_KEPT_MS = 2 * DAY_MS;
/** The API promises 30 days. One more gives a caller whose clock is slightly off all of them. */
const FIVE_MINUTES_KEPT_MS = 31 * DAY_MS;

/** A chunk is rolled up this long after its end, when the slowest round of sampling has written its last sample. */
const CLOSING_MS = MINUTE_MS;
/** A timer may fire slightly before the instant it was set for. */
const EARLY_TIMER_MS = 500;

/** Rounds `at` down to a multiple of `stepMs`. */
export function floorTo(at: Date, stepMs: number): Date {
  return new Date(Math.floor(at.getTime() / stepMs) * stepMs);
}

/** Returns the start of the latest interval that is over, to which a sample taken `now` belongs. */
export function sampledInterval(now: Date): Date {
  return floorTo(new Date(now.getTime() + EARLY_TIMER_MS - SAMPLE_MS), SAMPLE_MS);
}

/**
 * Returns the instant before which no more samples will be written: readers look no further, so that they never see a
 * gap that is filled later.
 */
export function settledUntil(now: Date): Date {
  return floorTo(new Date(now.getTime() - SAMPLE_MS), SAMPLE_MS);
}

/** Returns the instant before which all chunks have ended and are complete. */
export function closedUntil(now: Date, { chunkMs }: RollUp): Date {
  return floorTo(new Date(now.getTime() - CLOSING_MS), chunkMs);
}

/** The start of each resolution's data, in whole chunks, so that one resolution begins where the next ends. */
export interface KeptSince {
  samples: Date;
  minutes: Date;
  fiveMinutes: Date;
}

export function keptSince(now: Date): KeptSince {
  const day = floorTo(now, DAY_MS).getTime();
  return {
    samples: new Date(floorTo(now, HOUR_MS).getTime() - SAMPLES_KEPT_MS),
    minutes: new Date(day - MINUTES_KEPT_MS),
    fiveMinutes: new Date(day - FIVE_MINUTES_KEPT_MS),
  };
}

/** Returns the step, in seconds, of the finest resolution that reaches back to `from`; undefined if none does. */
export function resolutionAt(from: Date, now: Date): number | undefined {
  const since = keptSince(now);
  if (from >= since.samples) return SAMPLE_MS / 1000;
  if (from >= since.minutes) return MINUTES.stepMs / 1000;
  return from >= since.fiveMinutes ? FIVE_MINUTES.stepMs / 1000 : undefined;
}
