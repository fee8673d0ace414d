import type { Catalog, Plan } from './catalog-schema.ts';

/** What is sold at a price now and at others later: a plan, or the custom sizes. */
type Priced = Plan | Catalog['custom'];

/** The instant at which a date of the catalog begins. */
export const startOfDay = (date: string) => new Date(`${date}T00:00:00Z`);

/**
 * `item` at the price that holds at `at`: of a sale, or of what was sold at `soldAt`, which keeps the price of that day
 * for as long as the catalog says.
 */
export function priceAt<T extends Priced>(item: T, at: Date, soldAt = at): T {
  const price = item.prices?.findLast(
    ({ valid_from, existing_from = valid_from }) =>
      startOfDay(valid_from) <= soldAt || startOfDay(existing_from) <= at,
  );
  return price ? repriced(item, price) : item;
}

/** A later price without one for an hour is not sold by the hour. */
function repriced<T extends Priced>(
  item: T,
  { price_monthly, price_hourly }: Pick<Priced, 'price_monthly' | 'price_hourly'>,
): T {
  return { ...item, price_monthly, price_hourly };
}

/** The next price at which `item` is sold, and from when; null where none is announced. */
export function nextSalePrice<T extends Priced>(item: T, at: Date): { item: T; from: Date } | null {
  const next = item.prices?.find(({ valid_from }) => startOfDay(valid_from) > at);
  return next ? { item: repriced(item, next), from: startOfDay(next.valid_from) } : null;
}

/** The last instant at which something changes for what was sold of `item`; null where nothing is announced. */
export function lastPriceChange({ prices = [] }: Priced): Date | null {
  const changes = prices.map(({ valid_from, existing_from = valid_from }) => startOfDay(existing_from));
  return changes.reduce<Date | null>((last, date) => (last && last > date ? last : date), null);
}

/** What is sold at `at`, and for how much. */
export function catalogAt<C extends Catalog>(catalog: C, at: Date): C {
  return {
    ...catalog,
    plans: catalog.plans.map((plan) => planAt(plan, at)),
    custom: priceAt(catalog.custom, at),
  };
}

/** A plan as it is sold at `at`. */
function planAt(plan: Plan, at: Date): Plan {
  const priced = priceAt(plan, at);
  const retired = plan.retires_on !== undefined && startOfDay(plan.retires_on) <= at;
  return retired ? { ...priced, deprecated: true } : priced;
}

/** When the next price of anything begins; null where none is announced. */
export function nextSaleChange(catalog: Catalog, at: Date): Date | null {
  const changes = [...catalog.plans, catalog.custom].map((item) => nextSalePrice(item, at)?.from ?? null);
  return changes.reduce((first, date) => (date && (!first || date < first) ? date : first), null);
}
