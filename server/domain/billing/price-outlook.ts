import type { VmPriceNotice, VmPricing, VmRenewal } from '../../db/queries/vms/vm-parts.ts';
import type { VmChange, VmRow } from '../../db/queries/vms/vms.ts';
import type { SalesCatalog } from '../catalog/buyer-prices.ts';
import { askedFor, type ComingMonth, comingMonths } from './renewal-price.ts';
import { retirementOf } from './retirement.ts';

const DAY_MS = 86_400_000;

export interface PriceNotice {
  old_minor: bigint;
  price_minor: bigint;
  from: Date;
}

/** The coming prices of a VM, as known at one instant. */
export interface PriceOutlook {
  /** The notice to send now; null if there is none. */
  notice: PriceNotice | null;
  /** The notice that was given no longer applies, because the catalog has changed since. */
  withdrawn: boolean;
  /** Start of the last month checked. */
  seenUntil: Date | null;
  /** End of the VM's last period, if its plan is retired. */
  retiresAt: Date | null;
}

/**
 * Looks ahead to the first month of a VM whose price its owner can still be notified of in time. There is one notice at
 * a time: a second rise is announced once the first has taken effect.
 */
export function lookAhead(
  vm: VmPricing & VmRenewal & Pick<VmRow, 'prices_seen_until'>,
  catalog: SalesCatalog,
  now: Date,
): PriceOutlook {
  const { price_notice_days: days = 0 } = catalog;
  const retiresAt = retirementOf(vm, catalog, now);
  const { price_notice_minor: told, price_notice_from_at: toldFrom } = vm;
  const stands = toldFrom !== null && askedFor(vm, catalog, toldFrom).price_monthly_minor === told;
  const outlook = { notice: null, withdrawn: toldFrom !== null && !stands, retiresAt };
  if (!vm.auto_renew || vm.suspended_at) return { ...outlook, seenUntil: vm.prices_seen_until };
  const { before, month } = firstToTellOf(vm, catalog, now, days);
  const seen = { ...outlook, seenUntil: month.startAt };
  const price = month.configuration.price_monthly_minor;
  const ends = retiresAt !== null && retiresAt <= month.startAt;
  if (days === 0 || ends || price <= before || (stands && told === price)) return seen;
  if (stands && toldFrom <= month.startAt) return { ...seen, seenUntil: vm.prices_seen_until };
  return {
    ...seen,
    notice: { old_minor: before, price_minor: price, from: month.startAt },
    withdrawn: false,
  };
}

/** Returns the first coming month that begins at least `days` from now, and the price of the month before it. */
function firstToTellOf(
  vm: VmPricing,
  catalog: SalesCatalog,
  now: Date,
  days: number,
): { before: bigint; month: ComingMonth } {
  const earliest = now.getTime() + days * DAY_MS;
  let before = vm.price_monthly_minor;
  for (const month of comingMonths(vm, catalog, now)) {
    if (month.startAt.getTime() >= earliest) return { before, month };
    before = month.configuration.price_monthly_minor;
  }
  throw new Error('months never end');
}

/**
 * Returns the changes to a VM whose configuration is sold at `at`: earlier price notices no longer apply. If the clock was
 * set back to before the last sale, the instant of that one stays, as in the charge. Otherwise the time between the two
 * would be refunded at the new price, although it was paid at the old one.
 */
export function pricedAnew({ priced_at }: Pick<VmRow, 'priced_at'>, at: Date): VmChange {
  return {
    priced_at: at > priced_at ? at : priced_at,
    ...FORGOTTEN,
    prices_seen_until: null,
    retires_at: null,
  };
}

/** Returns the change of a VM that is renewed for a month from `startAt` on: a price notice for that month is used up. */
export function noticesAfter(
  { price_notice_from_at }: Pick<VmPriceNotice, 'price_notice_from_at'>,
  startAt: Date,
): VmChange {
  return price_notice_from_at && price_notice_from_at <= startAt ? FORGOTTEN : {};
}

/** Clears a price notice. */
export const FORGOTTEN = { price_notice_minor: null, price_notice_at: null, price_notice_from_at: null };
