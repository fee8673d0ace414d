import { type Line, sum } from './account.ts';
import { majorUnits, type PriceList } from './tariff.ts';
import { type Taxed, taxIn } from './tax.ts';

export interface Charge {
  lines: Line[];
  total: bigint;
}

export const chargeOf = (lines: Line[]): Charge => ({ lines, total: sum(lines.map(({ amount }) => amount)) });

type Share = Pick<Line, 'description' | 'amount' | 'span' | 'unit_price'> & { taxed: Taxed } & Partial<Line>;

/** Returns a line with its tax; a share of a month by default. */
export function line(share: Share): Line {
  // A deposit is not a sale, so it has no tax.
  const tax = share.unit === 'deposit' ? 0n : taxIn(share.amount, share.taxed.rate);
  return { quantity: 1n, unit: 'month', price_hourly: null, proration: true, addOn: null, ...share, tax };
}

/** Returns a line of a correction, whose price is its amount. */
export function corrected(
  { description, amount, taxed, span, addOn = null }: Omit<Share, 'unit_price'>,
  { currency }: PriceList,
): Line {
  const unit_price = majorUnits(amount < 0n ? -amount : amount, currency);
  return line({ description, amount, taxed, span, addOn, unit: 'adjustment', unit_price, proration: false });
}

/** Splits an amount by weights, cumulatively rounded down to whole units. */
export function proportional(weights: bigint[], amount: bigint): bigint[] {
  const total = sum(weights);
  if (total === 0n) return weights.map(() => 0n);
  const upTo = weights.map((_, index) => (amount * sum(weights.slice(0, index + 1))) / total);
  return upTo.map((until, index) => until - (upTo[index - 1] ?? 0n));
}
