import type { RefundLimits } from './adjustments/refundable.ts';
import type { Terms } from './charge-line.ts';
import { currencyExponent } from './money.ts';
import { type Period, restOf, secondsBetween } from './period.ts';

/** The billing mode of a period: at the monthly price, or per hour used, up to that price. */
export const BILLING_MODES = ['monthly', 'hourly'] as const;
export type BillingMode = (typeof BILLING_MODES)[number];

/** Hourly billing of a period. */
export interface Metering {
  /** Price per hour, in millionths of a major unit. */
  priceMicros: bigint;
  /** When counting began: the start of the period, or its last change. */
  since: Date;
}

/** A running period with the terms of its sale. */
export interface RunningPeriod extends Period, RefundLimits {
  /** The terms of its sale, which also apply to refunds. */
  terms: Terms;
  /**
   * The exact price that rounding has left uncharged, in minor units times seconds, and if billed hourly also times
   * {@link HOUR_PARTS}; negative if too much was charged. With a deposit, the remainder of the usage charged so far.
   */
  remainder: bigint;
  /** When the price was agreed, by a purchase or the last change. A clock that is behind this was set back. */
  pricedAt?: Date;
  /** Absent or null if billed monthly. */
  metering?: Metering | null;
  /** The deposit held since `metering.since`; absent or null if the period was sold in advance. */
  deposit?: bigint | null;
  /** The period was settled, by a deletion or at its end: nothing of it is left, even if a clock is set back later. */
  isOver?: boolean;
}

const HOUR_SECONDS = 3600n;
/** Parts of a second at an hourly price in millionths: no coarser unit is exact. */
const HOUR_PARTS = 1_000_000n * HOUR_SECONDS;
/**
 * Hours of the shortest month. At an hourly price of at least the monthly price divided by this, every month is paid in
 * full.
 */
export const SHORTEST_MONTH_HOURS = 672n;

/** The usage of a period since its last change, exact, in minor units times `parts`. */
export interface Used {
  used: bigint;
  /** The amount paid for that time and the rest of the period: the upper bound of `used`. */
  paid: bigint;
  /** Seconds of the period; if billed hourly, times {@link HOUR_PARTS}. */
  parts: bigint;
}

/** Returns the usage until `now`, or until the end of the current hour; all of the period once it is over. */
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

/** Returns the number of hours between two instants; a started hour counts in full. */
export function startedHours(from: Date, to: Date): bigint {
  return (BigInt(secondsBetween(from, to)) + HOUR_SECONDS - 1n) / HOUR_SECONDS;
}
