import { type Account, billed, type Document, type Vm } from './account.ts';
import { settleDeletion, spendableOf } from './books.ts';
import { arrears, deletionCharge, GRACE, graceEnd, totalOf } from './charges.ts';
import { buyerOf } from './document-tax.ts';
import { renews } from './prices.ts';
import type { PriceList } from './tariff.ts';
import { sent } from './usage.ts';
import { endDeposit, renew } from './vm-actions.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;
/** Time between the warning and the deletion of a VM. */
const WARNING = 3 * DAY;
/** Documents are issued this long after the end of their month. */
const ISSUED_AFTER = 10 * MINUTE;

/** When an unpaid VM is or was suspended, and when it is deleted. */
export function schedule(vm: Vm): { suspends: number; deletes: number } {
  const suspends = vm.suspendedAt ?? graceEnd(vm);
  const deletes = suspends + GRACE.deleteAfter;
  const warned = vm.suspendedAt !== null && vm.deletionNoticeAt !== null;
  return { suspends, deletes: warned ? Math.max(deletes, vm.deletionNoticeAt! + WARNING) : deletes };
}

/**
 * Charges due VMs in the owner's order of priority: each VM renews if the wallet covers it, and is dunned otherwise.
 */
export function passRenewals(account: Account, now: number, list: PriceList): void {
  const due = billed(account)
    .filter((vm) => vm.paid.to <= now)
    .sort((a, b) => a.priority - b.priority || a.paid.to - b.paid.to || (a.id < b.id ? -1 : 1));
  const atStart = spendableOf(account);
  let reserved = 0n;
  for (const vm of due) {
    if (!vm.work) endDeposit(account, vm, now, list);
    const renewals = arrears(vm, now, list);
    const total = totalOf(renewals);
    if (vm.work) {
      if (renews(vm) && atStart - reserved >= total) reserved += total;
    } else if (!renews(vm) || spendableOf(account) < total) dun(account, vm, now, list);
    else if (spendableOf(account) - reserved >= total) renew(account, vm, renewals, now, list);
  }
}

function dun(account: Account, vm: Vm, now: number, list: PriceList): void {
  if (vm.unpaidSince === null) {
    vm.unpaidSince = vm.paid.to;
    vm.meter.unpaid = { at: vm.paid.to, read: sent(vm.meter, vm.paid.to, now) };
  }
  const { suspends, deletes } = schedule(vm);
  if (vm.suspendedAt === null) {
    if (now < suspends) return;
    vm.resumes ||= vm.running;
    // From now on, the owner's settings can no longer extend the grace period.
    vm.graceEnded = suspends;
    vm.work = { kind: 'suspend' };
  } else if (vm.deletionNoticeAt === null) {
    if (now >= deletes - WARNING) vm.deletionNoticeAt = now;
  } else if (now >= deletes) {
    settleDeletion(account, vm, deletionCharge(vm, now, list), null, now);
    vm.work = { kind: 'delete' };
    vm.deleting = true;
  }
}

/** The owner turns renewal on or off. Turning it off during the grace period ends the grace period. */
export function setRenewal(vm: Vm, wanted: boolean, now: number): void {
  if (vm.autoRenew && !wanted && vm.suspendedAt === null && now > vm.paid.to)
    vm.graceEnded = Math.min(now, graceEnd(vm));
  vm.autoRenew = wanted;
}

/** Returns the next instant at which a VM's billing state can change. */
export function nextInstant(vm: Vm): number {
  if (vm.unpaidSince === null) return vm.paid.to;
  const { suspends, deletes } = schedule(vm);
  if (vm.suspendedAt === null) return suspends;
  return vm.deletionNoticeAt === null ? deletes - WARNING : deletes;
}

/**
 * Issues the documents of past months, invoices first: a credit note waits for the invoice that it corrects. `last` is
 * when a document of each type was last issued.
 */
export function issue(accounts: Account[], now: number, last: Record<Document['type'], number>): void {
  for (const type of ['invoice', 'credit_note'] as const) {
    const documents = accounts.flatMap((account) =>
      account.documents.map((document) => ({ account, document })),
    );
    const due = documents.filter(
      ({ document }) =>
        document.type === type &&
        document.issuedAt === null &&
        document.month.to + ISSUED_AFTER <= now &&
        [...document.corrects].every(({ issuedAt }) => issuedAt !== null),
    );
    if (due.length === 0) continue;
    last[type] = Math.max(last[type], now);
    for (const { document, account } of due) {
      const madeOutTo = buyerOf(document, account.buyer, account.orders);
      Object.assign(document, { issuedAt: last[type], buyer: madeOutTo });
    }
  }
}
