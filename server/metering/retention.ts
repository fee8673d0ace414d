import { SAMPLE_MS } from './metering.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Averages that are kept as one row a chunk of time. */
export interface RollUp {
  stepMs: number;
  chunkMs: number;
}
export const MINUTES: RollUp = { stepMs: MINUTE_MS, chunkMs: HOUR_MS };
export const FIVE_MINUTES: RollUp = { stepMs: 5 * MINUTE_MS, chunkMs: DAY_MS };

/** How long each resolution is kept, in whole chunks before the present one. */
const SAMPLES_KEPT_MS = 2 * HOUR_MS;
const MINUTES_KEPT_MS = 2 * DAY_MS;
/** The API promises 30 days; one more, so that a caller whose clock is a little off gets them whole. */
const FIVE_MINUTES_KEPT_MS = 31 * DAY_MS;

/** A chunk is rolled up this long after its end, when the slowest round of sampling has written its last one. */
const CLOSING_MS = MINUTE_MS;
/** A timer may fire a moment before the instant it was set to. */
const EARLY_TIMER_MS = 500;

/** `at`, or the multiple of `stepMs` before it. */
export function floorTo(at: Date, stepMs: number): Date {
  return new Date(Math.floor(at.getTime() / stepMs) * stepMs);
}

/** Start of the latest interval that is over: what a sample taken `now` stands for. */
export function sampledInterval(now: Date): Date {
  return floorTo(new Date(now.getTime() + EARLY_TIMER_MS - SAMPLE_MS), SAMPLE_MS);
}

/** Until when everything is written that will be: readers look no further, and see no gap that closes later. */
export function settledUntil(now: Date): Date {
  return floorTo(new Date(now.getTime() - SAMPLE_MS), SAMPLE_MS);
}

/** Chunks that begin before this have ended and are complete. */
export function closedUntil(now: Date, { chunkMs }: RollUp): Date {
  return floorTo(new Date(now.getTime() - CLOSING_MS), chunkMs);
}

/** Since when each resolution is there. Chunk by chunk, so that one resolution begins where the next one ends. */
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

/** Seconds between two values of the finest resolution that reaches back to `from`; undefined when none does. */
export function resolutionAt(from: Date, now: Date): number | undefined {
  const since = keptSince(now);
  if (from >= since.samples) return SAMPLE_MS / 1000;
  if (from >= since.minutes) return MINUTES.stepMs / 1000;
  return from >= since.fiveMinutes ? FIVE_MINUTES.stepMs / 1000 : undefined;
}
