import type { TaxCategory } from '../../tax/tax.ts';
import { type ChargeLine, lineOf } from '../charge-line.ts';
import { currencyExponent, formatMicros, minorToMicros } from '../money.ts';
import type { Period } from '../period.ts';

/** How a line of a correction is taxed: as today, or as what it corrects was. */
export interface LineTax {
  rate: string;
  category: TaxCategory;
  reason: string | null;
}

/** A line of a correction: `amount` is signed, in minor units of `currency`; its service period is that of what it corrects. */
export function adjustmentLine(
  description: string,
  amount: bigint,
  currency: string,
  service: Period,
  tax: LineTax,
): ChargeLine {
  const magnitude = amount < 0n ? -amount : amount;
  const unit_price = formatMicros(minorToMicros(magnitude, currency), currencyExponent(currency));
  const unit = { description, unit: 'adjustment', quantity: 1, unit_price } as const;
  return lineOf(unit, amount, { currency, taxRate: tax.rate, tax }, service, false);
}
