import type { Account, Vm, Work } from './account.ts';
import { complete, completed, fail, netWithin, settle } from './books.ts';
import { dayOf } from './calendar.ts';
import { type Renewal, unusedOf } from './charges.ts';
import { asSold, forgetTold } from './prices.ts';
import { Rational } from './rational.ts';
import type { PriceList } from './tariff.ts';
import { changeTerms, termsOf } from './usage.ts';

/** The life of a VM. */

/** Pays for another month of the VM. */
export function renew(account: Account, vm: Vm, renewals: Renewal[], at: number, list: PriceList): void {
  for (const { charge, span, product } of renewals) {
    settle(account, { kind: 'renew', vm, charge, id: null }, at);
    // Missed months were used, so they are sold at once.
    const { deposit, hoursSince } = charge;
    const missed = { ...vm, product, paid: span, hoursSince, deposit, taxed: list.taxed };
    if (span.to <= at && deposit !== null)
      endMonth(account, vm, { ...missed, leftover: Rational.zero, refundable: null }, at, list);
  }
  const { span, product, charge, use, addOns } = renewals.at(-1)!;
  if (vm.suspendedAt !== null) {
    vm.day = dayOf(at);
    soldAnew(vm, at);
    if (vm.resumes) vm.work = { kind: 'start' };
  } else forgetTold(vm, span.from);
  vm.product = product;
  vm.addOns = addOns;
  vm.paid = span;
  vm.hoursSince = charge.hoursSince;
  vm.deposit = charge.deposit;
  vm.taxed = list.taxed;
  vm.leftover = Rational.zero;
  vm.refundable = null;
  vm.meter.terms = [termsOf(product, list, span.from, use.at(-1)!.read)];
  vm.unpaidSince = null;
  vm.suspendedAt = null;
  vm.graceEnded = null;
  vm.resumes = false;
  vm.deletionNoticeAt = null;
}

/** Sells a month that is over out of its deposit, whether or not another month is paid. */
export function endDeposit(account: Account, vm: Vm, at: number, list: PriceList): void {
  if (vm.deposit === null) return;
  endMonth(account, vm, vm, at, list);
  vm.deposit = null;
  vm.leftover = Rational.zero;
}

function endMonth(account: Account, vm: Vm, month: Vm, at: number, list: PriceList): void {
  const charge = unusedOf(month, month.paid.to, list);
  settle(account, { kind: 'hourly_usage', vm, charge, id: null }, at);
}

/** The VM gets the price of the day of sale, and its owner has not been notified of another price yet. */
function soldAnew(vm: Vm, at: number): void {
  // A clock that was set back sells no time before the last sale.
  vm.soldAt = Math.max(vm.soldAt, at);
  vm.told = null;
  vm.retiresAt = null;
}

/** Ends the work on a VM, and with it the order. */
export function end(
  account: Account,
  vm: Vm,
  work: Work,
  succeeded: boolean,
  at: number,
  list: PriceList,
): void {
  vm.work = null;
  if ('order' in work) (succeeded ? complete : fail)(account, work.order, at);
  if (!succeeded) {
    // A VM that could not be created costs nothing, and is removed.
    if (work.kind === 'create') vm.gone = true;
    // A snapshot costs nothing more once its deletion was requested, even if that failed.
    if (work.kind === 'delete_snapshot') work.snapshot.until = at;
    return;
  }
  switch (work.kind) {
    case 'create':
      vm.exists = true;
      break;
    case 'change':
      change(account, vm, work, at, list);
      break;
    case 'suspend':
      vm.suspendedAt = at;
      vm.running = false;
      break;
    case 'start':
      vm.running = true;
      break;
    case 'delete':
      vm.gone = true;
      vm.goneAt = at;
      break;
    case 'delete_snapshot':
      work.snapshot.until = at;
  }
}

function change(
  account: Account,
  vm: Vm,
  { to, taxed, leftover, since, deposit, orderedAt }: Extract<Work, { kind: 'change' }>,
  at: number,
  list: PriceList,
): void {
  if (to.price > asSold(vm, list, orderedAt).price) vm.upgradedAt = orderedAt;
  vm.product = to;
  vm.taxed = taxed;
  vm.leftover = leftover;
  vm.hoursSince = since;
  vm.deposit = deposit;
  if (vm.refundable !== null) vm.refundable = netWithin(completed(account), vm, vm.paid);
  soldAnew(vm, orderedAt);
  changeTerms(vm, list, at);
}
