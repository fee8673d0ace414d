import { minorToText } from '../../../shared/currencies.ts';
import { MAX_PRICE_MINOR, max, microsToMinor, minorToMicros, parseMicros } from '../billing/money.ts';
import { customConfiguration } from '../billing/pricing.ts';
import type { CatalogFault } from './catalog-rules.ts';
import type { AddOnForSale, Catalog, Plan } from './catalog-schema.ts';
import { startOfDay } from './prices.ts';

/** A VM's monthly price is charged in minor units, so a price with fractions of a unit cannot be charged. */
export function* priceFaults({ currency, plans, add_ons = [], custom }: Catalog): Generator<CatalogFault> {
  for (const [index, plan] of plans.entries()) yield* planFaults(plan, ['plans', index], currency);
  for (const [index, addOn] of add_ons.entries()) yield* soldFaults(addOn, ['add_ons', index], currency);
  yield* addOnsFaults({ currency, add_ons });
  yield* dateFaults(custom.prices, ['custom']);
  const largest = { vcpu: custom.vcpu.max, ram_mb: custom.ram_mb.max, disk_gb: custom.disk_gb.max };
  for (const [path, price_monthly] of pricesOf(custom, ['custom'])) {
    const priced = { custom: { ...custom, price_monthly }, currency };
    if (customConfiguration(largest, priced).price_monthly_minor <= MAX_PRICE_MINOR) continue;
    yield { path, reason: `the largest custom configuration would cost more than ${highestPrice(currency)}` };
  }
}

type Path = CatalogFault['path'];

function* planFaults(plan: Plan, at: Path, currency: string): Generator<CatalogFault> {
  yield* soldFaults(plan, at, currency);
  const { retires_on: on } = plan;
  if (on !== undefined && !isDate(on)) yield { path: [...at, 'retires_on'], reason: `there is no day ${on}` };
}

/** All add-ons of a VM together must stay below the limit of one price, so that sums of prices do. */
function* addOnsFaults({
  currency,
  add_ons,
}: {
  currency: string;
  add_ons: AddOnForSale[];
}): Generator<CatalogFault> {
  let total = 0n;
  for (const [index, addOn] of add_ons.entries()) {
    const prices = [...pricesOf(addOn, [])].map(([, text]) => microsToMinor(parseMicros(text), currency));
    total += prices.reduce(max) * BigInt(addOn.max_quantity);
    if (total <= MAX_PRICE_MINOR) continue;
    const path = ['add_ons', index, 'max_quantity'];
    yield { path, reason: `the add-ons of one VM could cost more than ${highestPrice(currency)}` };
    return;
  }
}

function* soldFaults(item: Plan | AddOnForSale, at: Path, currency: string): Generator<CatalogFault> {
  for (const [path, text] of pricesOf(item, at)) {
    const price = parseMicros(text);
    if (minorToMicros(microsToMinor(price, currency), currency) !== price)
      yield { path, reason: `${text} is finer than the smallest unit of ${currency}` };
    if (microsToMinor(price, currency) > MAX_PRICE_MINOR)
      yield { path, reason: `${text} is more than ${highestPrice(currency)}` };
  }
  yield* dateFaults(item.prices, at);
}

/** Returns the current price and the later ones, each with its path. */
function* pricesOf<P>(
  { price_monthly, prices = [] }: { price_monthly: P; prices?: { price_monthly: P }[] },
  at: Path,
): Generator<[Path, P]> {
  yield [[...at, 'price_monthly'], price_monthly];
  for (const [index, price] of prices.entries())
    yield [[...at, 'prices', index, 'price_monthly'], price.price_monthly];
}

interface Dated {
  valid_from: string;
  existing_from?: string;
}

function* dateFaults(prices: Dated[] = [], at: Path): Generator<CatalogFault> {
  for (const [index, { valid_from, existing_from }] of prices.entries()) {
    const fault = (key: keyof Dated, reason: string) => ({ path: [...at, 'prices', index, key], reason });
    if (!isDate(valid_from)) yield fault('valid_from', `there is no day ${valid_from}`);
    const before = prices[index - 1]?.valid_from;
    if (before !== undefined && valid_from <= before)
      yield fault('valid_from', `must be later than that of the previous price, ${before}`);
    if (existing_from === undefined) continue;
    if (!isDate(existing_from)) yield fault('existing_from', `there is no day ${existing_from}`);
    if (existing_from < valid_from)
      yield fault('existing_from', `must not be earlier than valid_from, ${valid_from}`);
  }
}

/** Returns whether the calendar has such a day; its format has been checked. */
function isDate(text: string): boolean {
  const day = startOfDay(text);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

const highestPrice = (currency: string) => `${minorToText(MAX_PRICE_MINOR, currency)} a month`;
