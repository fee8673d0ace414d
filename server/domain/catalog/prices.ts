import type { AddOnForSale, Catalog, Plan } from './catalog-schema.ts';

/** An item with a current and later prices: a plan, or the custom sizes. */
type Priced = Plan | Catalog['custom'];

export const startOfDay = (date: string) => new Date(`${date}T00:00:00Z`);

/**
 * Returns `item` at its price at `at`: for a new sale, or for an item sold at `soldAt`, which keeps the price of that
 * day for as long as the catalog says.
 */
export function priceAt<T extends Priced>(item: T, at: Date, soldAt = at): T {
  const price = laterPrice<NonNullable<Priced['prices']>[number]>(item.prices, at, soldAt);
  return price ? repriced(item, price) : item;
}

/** Returns an add-on at its price at `at`, by the same rule. */
export function addOnPriceAt(item: AddOnForSale, at: Date, soldAt = at): AddOnForSale {
  const price = laterPrice(item.prices, at, soldAt);
  return price ? { ...item, price_monthly: price.price_monthly } : item;
}

/** Returns the latest of the later prices that applies; undefined if none does. */
function laterPrice<P extends { valid_from: string; existing_from?: string }>(
  prices: readonly P[] | undefined,
  at: Date,
  soldAt: Date,
): P | undefined {
  return prices?.findLast(
    ({ valid_from, existing_from = valid_from }) =>
      startOfDay(valid_from) <= soldAt || startOfDay(existing_from) <= at,
  );
}

/** A later price without an hourly price is not sold hourly. */
function repriced<T extends Priced>(
  item: T,
  { price_monthly, price_hourly }: Pick<Priced, 'price_monthly' | 'price_hourly'>,
): T {
  return { ...item, price_monthly, price_hourly };
}

/** Returns the next price at which `item` will be sold, and its date; null if none is announced. */
export function nextSalePrice<T extends Priced>(item: T, at: Date): { item: T; from: Date } | null {
  const next = item.prices?.find(({ valid_from }) => startOfDay(valid_from) > at);
  return next ? { item: repriced(item, next), from: startOfDay(next.valid_from) } : null;
}

/** Returns the last instant at which the price of existing sales of `item` changes; null if no change is announced. */
export function lastPriceChange({ prices = [] }: Priced): Date | null {
  const changes = prices.map(({ valid_from, existing_from = valid_from }) => startOfDay(existing_from));
  return changes.reduce<Date | null>((last, date) => (last && last > date ? last : date), null);
}

/** Returns the catalog with the plans, add-ons and prices on sale at `at`. */
export function catalogAt<C extends Catalog>(catalog: C, at: Date): C {
  return {
    ...catalog,
    plans: catalog.plans.map((plan) => planAt(plan, at)),
    custom: priceAt(catalog.custom, at),
    ...(catalog.add_ons && { add_ons: catalog.add_ons.map((addOn) => addOnPriceAt(addOn, at)) }),
  };
}

function planAt(plan: Plan, at: Date): Plan {
  const priced = priceAt(plan, at);
  const retired = plan.retires_on !== undefined && startOfDay(plan.retires_on) <= at;
  return retired ? { ...priced, deprecated: true } : priced;
}

/** Returns when the next price of anything takes effect; null if none is announced. */
export function nextSaleChange(catalog: Catalog, at: Date): Date | null {
  const changes = [...catalog.plans, catalog.custom].map((item) => nextSalePrice(item, at)?.from ?? null);
  return changes.reduce((first, date) => (date && (!first || date < first) ? date : first), null);
}
