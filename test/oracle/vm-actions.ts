import type { Account, Vm, Work } from './account.ts';
import { complete, completed, fail, netWithin, settle } from './books.ts';
import { dayOf } from './calendar.ts';
import { type Renewal, unusedOf } from './charges.ts';
import { asSold, forgetTold } from './prices.ts';
import { Rational } from './rational.ts';
import type { PriceList } from './tariff.ts';
import { changeTerms, termsOf } from './usage.ts';

/** What becomes of a VM. */

/** It is paid for again. */
export function renew(account: Account, vm: Vm, renewals: Renewal[], at: number, list: PriceList): void {
  for (const { charge, span, product } of renewals) {
    settle(account, { kind: 'renew', vm, charge, id: null }, at);
    // What was missed was used, and is sold at once.
    const { deposit, hoursSince } = charge;
    const missed = { ...vm, product, paid: span, hoursSince, deposit, taxed: list.taxed };
    if (span.to <= at && deposit !== null)
      endMonth(account, vm, { ...missed, leftover: Rational.zero, refundable: null }, at, list);
  }
  const { span, product, charge, use } = renewals.at(-1)!;
  if (vm.suspendedAt !== null) {
    vm.day = dayOf(at);
    soldAnew(vm, at);
    if (vm.resumes) vm.work = { kind: 'start' };
  } else forgetTold(vm, span.from);
  vm.product = product;
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

/** A month that is over is sold, out of its deposit, whether or not another one is paid. */
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

/** Its price is that of a day, and its owner was told of no other yet. */
function soldAnew(vm: Vm, at: number): void {
  vm.soldAt = at;
  vm.told = null;
  vm.retiresAt = null;
}

/** The work on a VM ends, and its order with it. */
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
    // What could not be made costs nothing, and goes by itself.
    if (work.kind === 'create') vm.gone = true;
    // Nor does a snapshot that its owner wanted to be rid of.
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
