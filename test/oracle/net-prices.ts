import { Rational } from './rational.ts';
import { type Buyer, taxOn } from './tax.ts';

/** Prices of businesses with a VAT id, where the catalog sells to them at net prices. */

const ONE = new Rational(1n);
const MILLION = new Rational(10n ** 6n);
/** Hours of a February. */
const SHORTEST_MONTH = new Rational(672n);

/** What the list's prices are multiplied by for a buyer: his own tax instead of the seller's. Null where they stand as they are. */
export function shareOf(
  list: { tax_rate: string; business_prices?: 'gross' | 'net' },
  buyer: Buyer | null,
): Rational | null {
  if (list.business_prices !== 'net' || buyer?.kind !== 'business' || buyer.vat_id === null) return null;
  const share = ONE.plus(Rational.parse(taxOn(list, buyer).rate)).over(
    ONE.plus(Rational.parse(list.tax_rate)),
  );
  return share.numerator === share.denominator ? null : share;
}

/** A price of parts of a unit, at six decimals. */
export function unitPrice(price: Rational, share: Rational | null): Rational {
  return share ? new Rational(price.times(share).times(MILLION).round()).over(MILLION) : price;
}

/** The price of an hour of what costs `month`: all hours of the shortest month come to that, and none is more than it. */
export function hourPrice(hour: Rational, month: Rational, share: Rational | null): Rational {
  if (!share) return hour;
  const least = new Rational(month.over(SHORTEST_MONTH).times(MILLION).ceil()).over(MILLION);
  const rounded = unitPrice(hour, share);
  return Rational.least(least.exceeds(rounded) ? least : rounded, month);
}
