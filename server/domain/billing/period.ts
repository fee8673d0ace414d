export interface Period {
  startAt: Date;
  endAt: Date;
}

/**
 * Returns the same day of the next month in UTC, or its last day if that month is shorter. `anchorDay` is the day of
 * the first period, so that 31 January is followed by 28 February and then 31 March, not 28 March.
 */
export function addMonth(instant: Date, anchorDay: number): Date {
  const year = instant.getUTCFullYear();
  const month = instant.getUTCMonth() + 1;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const next = new Date(instant);
  next.setUTCFullYear(year, month, Math.min(anchorDay, lastDay));
  return next;
}

/** Returns the first period of a VM that is bought now, or paid again after a suspension. */
export function firstPeriod(now: Date): Period {
  return { startAt: now, endAt: addMonth(now, now.getUTCDate()) };
}

/** Returns the first instants of the calendar month (UTC) of `instant` and of the next one. */
export function calendarMonth(instant: Date): Period {
  const year = instant.getUTCFullYear();
  const month = instant.getUTCMonth();
  return { startAt: new Date(Date.UTC(year, month, 1)), endAt: new Date(Date.UTC(year, month + 1, 1)) };
}

/** Returns the whole seconds between two instants; never negative. */
export function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, Math.floor((to.getTime() - from.getTime()) / 1000));
}

/** Returns the whole seconds of a period that are left at `now`, and its whole length. */
export function restOf(period: Period, now: Date): { remaining: bigint; length: bigint } {
  const length = secondsBetween(period.startAt, period.endAt);
  return { remaining: BigInt(Math.min(length, secondsBetween(now, period.endAt))), length: BigInt(length) };
}

/** Returns the rest of a period; all of it if the clock is behind its start. */
export function restAt({ startAt, endAt }: Period, now: Date): Period {
  if (now < startAt) return { startAt, endAt };
  return { startAt: now < endAt ? now : endAt, endAt };
}
