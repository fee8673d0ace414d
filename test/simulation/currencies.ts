import type { Catalog } from '../../server/domain/catalog/catalog-schema.ts';
import { decimalsOf } from '../../shared/currencies.ts';
import { Prng } from './prng.ts';

/**
 * One currency without decimals, two with two decimals, for one of which (HUF) the runtime assumes none, and one with
 * three.
 */
const CURRENCIES = ['EUR', 'JPY', 'HUF', 'KWD'] as const;

/**
 * Returns the currency of a world, `seed/number`: four consecutive worlds have all of them, and the seed draws the
 * first.
 */
export function currencyOf(world: string): string {
  const [seed, number = '0'] = world.split('/') as [string, string?];
  const first = new Prng(`${seed}/currency`).between(0, CURRENCIES.length - 1);
  return CURRENCIES[(first + Number(number)) % CURRENCIES.length]!;
}

/**
 * Moves the decimal point of a price in euros so that it has the same number of minor units in another currency: 3.99
 * becomes 399 yen or 0.399 dinars. So customers can afford the same in every world, whatever amounts its operations
 * use.
 */
export function priceIn(currency: string, euros: string): string {
  const [whole, fraction = ''] = euros.split('.') as [string, string?];
  const decimals = fraction.length + decimalsOf(currency) - 2;
  const digits = `${whole}${fraction}${'0'.repeat(Math.max(-decimals, 0))}`.padStart(decimals + 1, '0');
  const point = digits.length - Math.max(decimals, 0);
  const major = BigInt(digits.slice(0, point));
  return decimals > 0 ? `${major}.${digits.slice(point)}` : major.toString();
}

export function sellIn(currency: string, catalog: Catalog): void {
  catalog.currency = currency;
  const inCurrency = (euros: string) => priceIn(currency, euros);
  catalog.top_up = { min: inCurrency('5.00'), max: inCurrency('1000.00') };
  for (const plan of catalog.plans) {
    plan.price_monthly = inCurrency(plan.price_monthly);
    if (plan.price_hourly) plan.price_hourly = inCurrency(plan.price_hourly);
  }
  for (const addOn of catalog.add_ons ?? []) addOn.price_monthly = inCurrency(addOn.price_monthly);
  for (const prices of [catalog.custom.price_monthly, catalog.custom.price_hourly])
    for (const unit of ['vcpu', 'ram_gb', 'disk_gb'] as const)
      if (prices) prices[unit] = inCurrency(prices[unit]);
}
