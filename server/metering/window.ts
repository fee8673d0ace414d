import { invalidField } from '../platform/errors.ts';
import { floorTo, resolutionAt, settledUntil } from './retention.ts';

/** Maximum number of points per series in a reply. */
export const MAX_POINTS = 500;
const DEFAULT_RANGE_MS = 3_600_000;
/** Steps for callers who do not choose one: those that read well on a chart, up to the whole retention. */
const USUAL_STEPS = [10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];

/** The steps [start, end) of a series; both ends are multiples of the step. */
export interface Window {
  start: Date;
  end: Date;
  stepSeconds: number;
}

/**
 * Returns the window that a request asks for; throws `validation_failed` if it is invalid. The window never ends later
 * than the sampled data; its step is a multiple of the resolution that is still kept of its beginning.
 */
export function metricsWindow(query: { from?: Date; to?: Date; step?: number }, now: Date): Window {
  const settled = settledUntil(now);
  const to = query.to && query.to < settled ? query.to : settled;
  const from = query.from ?? new Date(to.getTime() - DEFAULT_RANGE_MS);
  if (from >= to) throw invalidField('from', 'conflict', 'must be earlier than `to` and in the past');
  const resolution = resolutionAt(from, now);
  if (!resolution) throw invalidField('from', 'out_of_range', 'metrics are kept for 30 days');
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
    throw invalidField(
      'step',
      'too_precise',
      `must be a multiple of ${resolution}, the resolution kept for that time`,
    );
  }
  const window = aligned(from, to, step);
  const points = pointsOf(window);
  if (points > MAX_POINTS) {
    throw invalidField('step', 'too_many', `would give ${points} points; at most ${MAX_POINTS} are allowed`);
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

export function pointsOf({ start, end, stepSeconds }: Window): number {
  return (end.getTime() - start.getTime()) / (stepSeconds * 1000);
}
