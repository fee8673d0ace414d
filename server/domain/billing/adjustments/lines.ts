import type { TaxCategory } from '../../tax/tax.ts';
import { type ChargeLine, lineOf } from '../charge-line.ts';
import { currencyExponent, formatMicros, minorToMicros } from '../money.ts';
import type { Period } from '../period.ts';

/** The tax of a correction's line: the current tax, or that of the corrected line. */
export interface LineTax {
  rate: string;
  category: TaxCategory;
  reason: string | null;
}

/**
 * Returns a line of a correction. `amount` is signed, in minor units of `currency`; the service period is that of the
 * corrected line.
 */
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
