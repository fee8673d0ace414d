import type { VmChange, VmRow } from '../../db/queries/vms.ts';
import type { SalesCatalog } from '../catalog/buyer-prices.ts';
import { askedFor, type ComingMonth, comingMonths } from './renewal-price.ts';
import { retirementOf } from './retirement.ts';

const DAY_MS = 86_400_000;

/** Notice of a higher price to the owner of a VM. */
export interface PriceNotice {
  old_minor: bigint;
  price_minor: bigint;
  from: Date;
}

/** What is known at an instant of the prices to come of a VM. */
export interface PriceOutlook {
  /** The notice to send now; null where there is none. */
  notice: PriceNotice | null;
  /** The notice that was given does not hold any more: the catalog has changed since. */
  withdrawn: boolean;
  /** Start of the last month that was looked at. */
  seenUntil: Date | null;
  /** End of its last period, where its plan is retired. */
  retiresAt: Date | null;
}

/**
 * Looks ahead to the first month of a VM whose price its owner can still be notified of in time. There is one notice at a
 * time: a second rise in sight is announced once the first has come.
 */
export function lookAhead(vm: VmRow, catalog: SalesCatalog, now: Date): PriceOutlook {
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

/** The first month to come that begins in `days` or later, and the price of the one before it. */
function firstToTellOf(
  vm: VmRow,
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

/** What a VM remembers of its price once what it has is sold, at `at`: no notice has been given since. */
export function pricedAnew(at: Date): VmChange {
  return { priced_at: at, ...FORGOTTEN, prices_seen_until: null, retires_at: null };
}

/** What it remembers once it is renewed for a month from `startAt` on: a notice for that month is used up. */
export function noticesAfter({ price_notice_from_at }: VmRow, startAt: Date): VmChange {
  return price_notice_from_at && price_notice_from_at <= startAt ? FORGOTTEN : {};
}

/** No notice. */
export const FORGOTTEN = { price_notice_minor: null, price_notice_at: null, price_notice_from_at: null };
