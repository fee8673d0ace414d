import { Rational } from './rational.ts';

/** `from` is included, `to` is excluded; both in milliseconds since 1970. */
export interface Span {
  from: number;
  to: number;
}

const daysIn = (year: number, month: number) =>
  [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month]!;
const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

export function monthOf(at: number): Span {
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const from = Date.UTC(year, month, 1);
  return { from, to: from + daysIn(year, month) * 86_400_000 };
}

/**
 * The month that begins at an instant and ends on `day` of the next one at the same time, or on that month's last day.
 */
export function monthFrom(from: number, day: number): Span {
  const date = new Date(from);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const [nextYear, nextMonth] = month === 11 ? [year + 1, 0] : [year, month + 1];
  const time = from - Date.UTC(year, month, date.getUTCDate());
  return { from, to: Date.UTC(nextYear, nextMonth, Math.min(day, daysIn(nextYear, nextMonth))) + time };
}

export const dayOf = (at: number) => new Date(at).getUTCDate();

/** Whole seconds from one instant to another; 0 if `to` is before `from`. */
export function seconds(from: number, to: number): bigint {
  return to <= from ? 0n : BigInt((to - from - ((to - from) % 1000)) / 1000);
}

/** The share of a span that is still to come. */
export function restOf(span: Span, now: number): Rational {
  const [length, left] = [seconds(span.from, span.to), seconds(now, span.to)];
  return new Rational(left < length ? left : length, length);
}
