import { type Line, sum } from './account.ts';
import { majorUnits, type PriceList, plain, taxIn } from './tariff.ts';

export interface Charge {
  lines: Line[];
  total: bigint;
}

export const chargeOf = (lines: Line[]): Charge => ({ lines, total: sum(lines.map(({ amount }) => amount)) });

type Share = Pick<Line, 'description' | 'amount' | 'span' | 'unit_price'> & { rate: string } & Partial<Line>;

/** A line with its tax: a share of a month, unless it says otherwise. */
export function line({ rate, ...share }: Share): Line {
  const tax = { tax_rate: plain(rate), tax: taxIn(share.amount, rate) };
  return { quantity: 1n, unit: 'month', price_hourly: null, proration: true, ...share, ...tax };
}

/** A line of a correction, which names its amount as its price. */
export function corrected(
  { description, amount, rate, span }: Omit<Share, 'unit_price'>,
  { currency }: PriceList,
): Line {
  const unit_price = majorUnits(amount < 0n ? -amount : amount, currency);
  return line({ description, amount, rate, span, unit: 'adjustment', unit_price, proration: false });
}
