import { type Account, billed, hourOf, type Order, soldOf, sum, type Vm } from './account.ts';
import { nextMonthOf } from './add-ons.ts';
import { completed, creditsBack, debtOf, netOf, spendableOf, uncovered, unpaidDebt } from './books.ts';
import { monthOf, seconds } from './calendar.ts';
import { arrears, deletionCharge, totalOf } from './charges.ts';
import type { Expected } from './differences.ts';
import type { Charge } from './lines.ts';
import { nextPrice, renewed, renews } from './prices.ts';
import { plain, Rational } from './rational.ts';
import { type PriceList, shownHour } from './tariff.ts';
import { schedule } from './time.ts';
import { amountOf, running, type Use, usedIn } from './usage.ts';

/** The API's view of an account at an instant: the fields of each reply that contain or date an amount. */

const MOST_NEXT_CHARGES = 10;
const MOST_CHARGES = 100;

const date = (at: number) => new Date(at);
const most = (a: bigint, b: bigint) => (a > b ? a : b);
const byEnd = (a: Vm, b: Vm) => a.paid.to - b.paid.to || (a.id < b.id ? -1 : 1);

/** VMs that will renew, the next one first. */
const renewing = (account: Account) => billed(account).filter(renews).sort(byEnd);

/** Returns a VM's usage that has not been charged yet. */
function openUse(vm: Vm, now: number, list: PriceList): Use[] {
  const due = arrears(vm, now, list);
  return due.length > 0 ? due.flatMap(({ use }) => use) : usedIn(vm, running(vm), now, list);
}

const openUsage = (vm: Vm, now: number, list: PriceList) => amountOf(openUse(vm, now, list));
const usageOfAll = (account: Account, now: number, list: PriceList) =>
  sum(billed(account).map((vm) => openUsage(vm, now, list)));

/** The price of a VM's next month with its add-ons. */
const monthPrice = (vm: Vm, now: number, list: PriceList) =>
  renewed(vm, list, now).price + nextMonthOf(vm, list, now);

/** Returns the cost of a VM's next renewal. */
function nextCharge(vm: Vm, now: number, list: PriceList): bigint {
  const due = arrears(vm, now, list);
  return due.length > 0 ? totalOf(due) : monthPrice(vm, now, list) + openUsage(vm, now, list);
}

function promo({ credits }: Account) {
  const left = credits.filter((credit) => credit.left > 0n);
  return {
    promo_minor: sum(left.map((credit) => credit.left)),
    promo_expires_at: left.length === 0 ? null : date(Math.min(...left.map(({ ends }) => ends))),
  };
}

export function wallet(account: Account, now: number, list: PriceList): Expected {
  const burn = sum(renewing(account).map((vm) => monthPrice(vm, now, list)));
  return {
    currency: list.currency,
    balance_minor: account.available + account.held,
    held_minor: account.held,
    available_minor: account.available,
    ...promo(account),
    debt_minor: debtOf(account),
    burn_rate_monthly_minor: burn,
    runway_days: burn === 0n ? null : (spendableOf(account) * 30n) / burn,
  };
}

export function summary(account: Account, now: number, list: PriceList): Expected {
  const month = monthOf(now);
  const toDate = netOf(account, month);
  const next = renewing(account).map((vm) => ({ vm, amount: nextCharge(vm, now, list) }));
  const due = (until: number) => sum(next.filter(({ vm }) => vm.paid.to < until).map(({ amount }) => amount));
  const overdue = due(now + 1);
  return {
    currency: list.currency,
    available_minor: account.available,
    ...promo(account),
    debt_minor: debtOf(account),
    month_to_date_minor: toDate,
    forecast_month_minor: toDate + due(month.to),
    active_vm_count: BigInt(billed(account).length),
    next_charges: next
      .slice(0, MOST_NEXT_CHARGES)
      .map(({ vm, amount }) => ({ vm_id: vm.id, amount_minor: amount, due_at: date(vm.paid.to) })),
    overdue_minor: overdue,
    shortfall_minor: unpaidDebt(account) + most(overdue - spendableOf(account), 0n),
    usage_minor: usageOfAll(account, now, list),
    unpaid: billed(account)
      .filter(({ unpaidSince }) => unpaidSince !== null)
      .sort(byEnd)
      .map((vm) => ({
        vm_id: vm.id,
        unpaid_since_at: date(vm.unpaidSince!),
        suspends_at: date(schedule(vm).suspends),
        suspended_at: vm.suspendedAt === null ? null : date(vm.suspendedAt),
        deletes_at: date(schedule(vm).deletes),
      })),
  };
}

export function usage(account: Account, now: number, list: PriceList): Expected {
  const { from, to } = monthOf(now);
  return {
    period_start_at: date(from),
    period_end_at: date(to),
    cost_to_date_minor: netOf(account, { from, to }),
    usage_minor: usageOfAll(account, now, list),
    currency: list.currency,
  };
}

export function payments({ payments: all }: Account, list: PriceList): Expected {
  return all.map(({ method, reference, amount, at }) => ({
    ...{ method, reference, status: 'succeeded', amount_minor: amount, currency: list.currency },
    ...{ created_at: date(at), settled_at: date(at) },
  }));
}

export function order(
  { id, kind, status, vm, amount, correction, ...rest }: Order,
  list: PriceList,
): Expected {
  return {
    ...{ id, kind, status, vm_id: vm?.id ?? null, amount_minor: amount, currency: list.currency },
    balance_after_minor: rest.balanceAfter,
    invoice_id: rest.document?.id ?? null,
    created_at: date(rest.createdAt),
    adjustment: correction && {
      type: correction.type,
      reason: correction.reason,
      corrects_order_id: correction.corrects?.id ?? null,
    },
  };
}

const modeOf = (vm: Vm) => (vm.hoursSince === null ? 'monthly' : 'hourly');

/** The terms of a VM's sale. */
export function sold(vm: Vm, list: PriceList): { readonly [field: string]: Expected } {
  return {
    price_monthly_minor: vm.product.price,
    price_hourly: shownHour(hourOf(vm), list.currency),
    billing_mode: modeOf(vm),
    next_billing_mode: vm.nextMode,
    currency: list.currency,
    auto_renew: vm.autoRenew,
    billing_period_start_at: date(vm.paid.from),
    billing_period_end_at: date(vm.paid.to),
  };
}

/** The VM itself: the terms of its sale, and its throttle. */
export const vm = (one: Vm, list: PriceList) => ({ ...sold(one, list), throttle: one.throttle });

export function vmBilling(account: Account, vm: Vm, now: number, list: PriceList): Expected {
  const done = completed(account).filter((order) => order.vm === vm);
  const amounts = done.map(soldOf);
  const isRenewed = renews(vm) && !vm.deleting;
  const next = nextPrice(vm, list, now);
  return {
    ...sold(vm, list),
    next_charge_at: isRenewed ? date(vm.paid.to) : null,
    next_charge_minor: isRenewed ? nextCharge(vm, now, list) : null,
    next_price: next && { price_monthly_minor: next.price, from_at: date(next.from) },
    retires_at: vm.retiresAt === null ? null : date(vm.retiresAt),
    ...vmUsage(vm, now, list),
    lifetime_charged_minor: sum(amounts.filter((amount) => amount > 0n)),
    lifetime_refunded_minor: -sum(amounts.filter((amount) => amount < 0n)),
    charges: done
      .sort((a, b) => (a.id! < b.id! ? 1 : -1))
      .slice(0, MOST_CHARGES)
      .map(({ id, kind, amount, createdAt }) => ({
        ...{ order_id: id, kind, amount_minor: amount, created_at: date(createdAt) },
      })),
  };
}

function vmUsage(vm: Vm, now: number, list: PriceList) {
  const use = vm.deleting ? [] : openUse(vm, now, list);
  const terms = vm.deleting ? undefined : vm.meter.terms.at(-1);
  const total = (of: (one: Use) => bigint) => sum(use.map(of));
  const counted = use.flatMap((one) => [one, ...(one.ending ? [one.ending] : [])]);
  const included = counted.flatMap((one) => one.included ?? []);
  const price = (of: Rational | null | undefined) => (of ? plain(of.toDecimal(6)) : null);
  return {
    usage_minor: amountOf(use),
    usage: {
      traffic: {
        used_bytes: sum(counted.map(({ used }) => used)),
        included_bytes: included.length === 0 ? null : sum(included),
        overage_bytes: total(({ over }) => over),
        price_per_gb: price(terms?.traffic),
        amount_minor: total(({ traffic }) => traffic),
      },
      snapshots: {
        gb_months: new Rational(
          total(({ gbMonths }) => gbMonths),
          10n ** 6n,
        ).toDecimal(6),
        price_gb_month: price(terms?.snapshots),
        amount_minor: total(({ snapshots }) => snapshots),
      },
    },
  };
}

export function deletePreview(account: Account, vm: Vm, now: number, list: PriceList): Expected {
  const charge = deletionCharge(vm, now, list);
  return {
    ...deletion(account, charge),
    ...previewPromo(account, vm, charge),
    usage_minor: amountOf(charge.use),
    currency: list.currency,
    unused_seconds: vm.exists ? seconds(now, vm.paid.to) : 0n,
  };
}

/** The promotional credit within a refund, and its earliest end. */
export function promoBack(account: Account, vm: Vm, { total, lines }: Charge) {
  const back = total < 0n ? creditsBack(account, vm, lines) : [];
  return {
    promo_minor: -sum(back.map(({ amount }) => amount)),
    promo_expires_at: back.length === 0 ? null : date(Math.min(...back.map(({ credit }) => credit.ends))),
  };
}

/** The same as previews and quotes show it. */
export function previewPromo(account: Account, vm: Vm, charge: Charge) {
  const { promo_minor, promo_expires_at } = promoBack(account, vm, charge);
  return { refund_promo_minor: promo_minor, refund_promo_expires_at: promo_expires_at };
}

/** The preview of a deletion: its refund or its charge. */
export function deletion(account: Account, charge: Charge) {
  const owed = uncovered(account, charge);
  return {
    refund_minor: most(-charge.total, 0n),
    charged_minor: most(charge.total, 0n) - owed,
    written_off_minor: 0n,
    debt_minor: owed,
  };
}
