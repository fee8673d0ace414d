import { invalidField } from '../platform/errors.ts';
import { floorTo, resolutionAt, settledUntil } from './retention.ts';

/** Most points of a series in one reply. */
export const MAX_POINTS = 500;
const DEFAULT_RANGE_MS = 3_600_000;
/** Steps chosen for a caller who names none: those that people read off a chart, up to all that is kept. */
const USUAL_STEPS = [10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];

/** The steps [start, end) of a series; both ends are multiples of the step. */
export interface Window {
  start: Date;
  end: Date;
  stepSeconds: number;
}

/**
 * The window that a request asks for, or `validation_failed`. Its end is never later than what has been
 * sampled; its step is a multiple of the resolution that is kept of its beginning.
 */
export function metricsWindow(query: { from?: Date; to?: Date; step?: number }, now: Date): Window {
  const settled = settledUntil(now);
  const to = query.to && query.to < settled ? query.to : settled;
  const from = query.from ?? new Date(to.getTime() - DEFAULT_RANGE_MS);
  if (from >= to) throw invalidField('from', 'range', 'must be earlier than to, and in the past');
  const resolution = resolutionAt(from, now);
  if (!resolution) throw invalidField('from', 'too_old', 'metrics are kept for 30 days');
  return query.step === undefined
    ? usualWindow(from, to, resolution)
    : askedWindow(from, to, resolution, query.step);
}

function usualWindow(from: Date, to: Date, resolution: number): Window {
  const windows = USUAL_STEPS.filter((step) => step >= resolution).map((step) => aligned(from, to, step));
  return windows.find((window) => pointsOf(window) <= MAX_POINTS) ?? windows.at(-1)!;
}

function askedWindow(from: Date, to: Date, resolution: number, step: number): Window {
  if (step % resolution !== 0) {
    throw invalidField('step', 'too_fine', `must be a multiple of ${resolution}: what is kept of that time`);
  }
  const window = aligned(from, to, step);
  const points = pointsOf(window);
  if (points > MAX_POINTS) {
    throw invalidField(
      'step',
      'too_many_points',
      `would give ${points} points; at most ${MAX_POINTS} are allowed`,
    );
  }
  return window;
}

function aligned(from: Date, to: Date, stepSeconds: number): Window {
  const stepMs = stepSeconds * 1000;
  return {
    start: floorTo(from, stepMs),
    end: floorTo(new Date(to.getTime() + stepMs - 1), stepMs),
    stepSeconds,
  };
}

/** How many points a series of this window has. */
export function pointsOf({ start, end, stepSeconds }: Window): number {
  return (end.getTime() - start.getTime()) / (stepSeconds * 1000);
}
