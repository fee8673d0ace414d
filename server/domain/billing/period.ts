/** A paid period of a VM. */
export interface Period {
  startAt: Date;
  endAt: Date;
}

/**
 * The same day of the next month in UTC, or its last day where that month is shorter. `anchorDay` is the
 * day of the first period, so that 31 January → 28 February → 31 March and not 28 March.
 */
export function addMonth(instant: Date, anchorDay: number): Date {
  const year = instant.getUTCFullYear();
  const month = instant.getUTCMonth() + 1;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const next = new Date(instant);
  next.setUTCFullYear(year, month, Math.min(anchorDay, lastDay));
  return next;
}

/** The first period of a VM that is bought, or paid again after its suspension, now. */
export function firstPeriod(now: Date): Period {
  return { startAt: now, endAt: addMonth(now, now.getUTCDate()) };
}

/** First and last instant of the calendar month (UTC) that `instant` lies in. */
export function calendarMonth(instant: Date): Period {
  const year = instant.getUTCFullYear();
  const month = instant.getUTCMonth();
  return { startAt: new Date(Date.UTC(year, month, 1)), endAt: new Date(Date.UTC(year, month + 1, 1)) };
}

/** Whole seconds between two instants, never negative. */
export function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, Math.floor((to.getTime() - from.getTime()) / 1000));
}

/** Whole seconds of a period that are still to come at `now`, and its whole length. */
export function restOf(period: Period, now: Date): { remaining: bigint; length: bigint } {
  const length = secondsBetween(period.startAt, period.endAt);
  return { remaining: BigInt(Math.min(length, secondsBetween(now, period.endAt))), length: BigInt(length) };
}

/** What is left of a period; all of it where the clock is behind the one that began it. */
export function restAt({ startAt, endAt }: Period, now: Date): Period {
  if (now < startAt) return { startAt, endAt };
  return { startAt: now < endAt ? now : endAt, endAt };
}
