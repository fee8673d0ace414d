import type { RefundLimits } from './adjustments/refundable.ts';
import type { Terms } from './charge-line.ts';
import { currencyExponent } from './money.ts';
import { type Period, restOf, secondsBetween } from './period.ts';

/** How a period is billed: at the month's price, or by the hours that are used of it, up to that price. */
export const BILLING_MODES = ['monthly', 'hourly'] as const;
export type BillingMode = (typeof BILLING_MODES)[number];

/** The hours of a period that is billed by them. */
export interface Metering {
  /** Price of an hour, in millionths of a major unit. */
  priceMicros: bigint;
  /** Since when they are counted: the start of the period, or the last change in it. */
  since: Date;
}

/** A period that is running, as it was sold. */
export interface RunningPeriod extends Period, RefundLimits {
  /** The terms of its sale, which what is given back keeps. */
  terms: Terms;
  /**
   * What rounding has left uncharged of it, in minor units times seconds, where it is billed by the hour times
   * {@link HOUR_PARTS} too; negative where too much was charged. Of a deposit it is what the usage that was charged left over.
   */
  remainder: bigint;
  /** When its price was agreed, by a purchase or the last change: a clock that is behind that was set back. */
  pricedAt?: Date;
  /** Absent or null where it is billed by the month. */
  metering?: Metering | null;
  /** What is held for it since then; absent or null if it was sold in advance. */
  deposit?: bigint | null;
  /** It was settled, by a deletion or at its end: nothing is left of it, whatever a clock says that was set back since. */
  isOver?: boolean;
}

const HOUR_SECONDS = 3600n;
/** Of a second at a price in millionths an hour: no coarser measure is exact. */
const HOUR_PARTS = 1_000_000n * HOUR_SECONDS;
/** Hours of the shortest month. Who pays at least this part of a month's price an hour has paid all of any month. */
export const SHORTEST_MONTH_HOURS = 672n;

/** What was used of a period since its last change, exactly: in minor units times `parts`. */
export interface Used {
  used: bigint;
  /** What was paid for that and for the rest of the period: the most that can be used. */
  paid: bigint;
  /** Seconds of the period; where it is billed by the hour times {@link HOUR_PARTS}. */
  parts: bigint;
}

/** What is used until `now`, or until the end of the hour that has begun; all of it once the period is over. */
export function usedOf(
  priceMonthlyMinor: bigint,
  period: RunningPeriod,
  now: Date,
  until: 'now' | 'end_of_hour',
): Used {
  const { remaining, length } = restOf(period, now);
  if (!period.metering) {
    const paid = priceMonthlyMinor * length;
    return { used: paid - priceMonthlyMinor * remaining, paid, parts: length };
  }
  const { since, priceMicros } = period.metering;
  const parts = length * HOUR_PARTS;
  const paid = priceMonthlyMinor * restOf(period, since).remaining * HOUR_PARTS;
  if (now >= period.endAt) return { used: paid, paid, parts };
  const seconds =
    until === 'now' ? BigInt(secondsBetween(since, now)) : startedHours(since, now) * HOUR_SECONDS;
  const used = seconds * priceMicros * 10n ** BigInt(currencyExponent(period.terms.currency)) * length;
  return { used: used < paid ? used : paid, paid, parts };
}

/** Hours that have begun between two instants. */
export function startedHours(from: Date, to: Date): bigint {
  return (BigInt(secondsBetween(from, to)) + HOUR_SECONDS - 1n) / HOUR_SECONDS;
}
