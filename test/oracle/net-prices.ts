import { Rational } from './rational.ts';
import { type Buyer, taxOn } from './tax.ts';

/** Prices for businesses with a VAT id, if the catalog sells to them at net prices. */

const ONE = new Rational(1n);
const MILLION = new Rational(10n ** 6n);
/** Hours of a February. */
const SHORTEST_MONTH = new Rational(672n);

/** Returns whether a buyer pays net prices plus their own tax. */
export function isNet(list: { business_prices?: 'gross' | 'net' }, buyer: Buyer | null): buyer is Buyer {
  return list.business_prices === 'net' && buyer?.kind === 'business' && buyer.vat_id !== null;
}

/**
 * Returns the factor from the list's prices to a buyer's: their own tax instead of the seller's. Null if the list's
 * prices apply unchanged.
 */
export function shareOf(
  list: { tax_rate: string; business_prices?: 'gross' | 'net' },
  buyer: Buyer | null,
): Rational | null {
  if (!isNet(list, buyer)) return null;
  const share = ONE.plus(Rational.parse(taxOn(list, buyer).rate)).over(
    ONE.plus(Rational.parse(list.tax_rate)),
  );
  return share.numerator === share.denominator ? null : share;
}

/** A price of fractions of a unit, rounded to six decimals. */
export function unitPrice(price: Rational, share: Rational | null): Rational {
  return share ? new Rational(price.times(share).times(MILLION).round()).over(MILLION) : price;
}

/**
 * The hourly price next to a monthly price: the hours of the shortest month add up to at least the month, and no hour
 * costs more than the month.
 */
export function hourPrice(hour: Rational, month: Rational, share: Rational | null): Rational {
  if (!share) return hour;
  const least = new Rational(month.over(SHORTEST_MONTH).times(MILLION).ceil()).over(MILLION);
  const rounded = unitPrice(hour, share);
  return Rational.least(least.exceeds(rounded) ? least : rounded, month);
}
