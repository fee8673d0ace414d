import { SHORTEST_MONTH_HOURS } from '../billing/metering.ts';
import { formatMicros, parseMicros } from '../billing/money.ts';
import type { CatalogFault } from './catalog-rules.ts';
import type { Catalog } from './catalog-schema.ts';

const UNITS = ['vcpu', 'ram_gb', 'disk_gb'] as const;

/**
 * Billed hourly, a month used in full costs at least its monthly price, however short it is, and no hour costs more
 * than a month.
 */
export function* hourlyFaults({ plans, custom }: Catalog): Generator<CatalogFault> {
  for (const [index, plan] of plans.entries()) {
    for (const [path, price] of withLater(plan, ['plans', index]))
      yield* hourlyFault(path, price.price_monthly, price.price_hourly);
  }
  for (const [path, { price_monthly, price_hourly }] of withLater(custom, ['custom']))
    for (const unit of UNITS) yield* hourlyFault([...path, unit], price_monthly[unit], price_hourly?.[unit]);
}

type Path = CatalogFault['path'];

interface Prices<P> {
  price_monthly: P;
  price_hourly?: P;
}

/** Returns the current price and the later ones, each with the path of its hourly price. */
function* withLater<P>(item: Prices<P> & { prices?: Prices<P>[] }, at: Path): Generator<[Path, Prices<P>]> {
  yield [[...at, 'price_hourly'], item];
  for (const [index, price] of (item.prices ?? []).entries())
    yield [[...at, 'prices', index, 'price_hourly'], price];
}

function* hourlyFault(
  path: Path,
  priceMonthly: string,
  priceHourly: string | undefined,
): Generator<CatalogFault> {
  if (priceHourly === undefined) return;
  const [month, hour] = [parseMicros(priceMonthly), parseMicros(priceHourly)];
  if (hour > month) yield { path, reason: `${priceHourly} per hour is more than ${priceMonthly} per month` };
  const least = (month + SHORTEST_MONTH_HOURS - 1n) / SHORTEST_MONTH_HOURS;
  if (hour >= least) return;
  const reason = `${priceHourly} per hour is less than ${priceMonthly} in a month of ${SHORTEST_MONTH_HOURS} hours: it must be at least ${formatMicros(least)}`;
  yield { path, reason };
}
