import type { VmDue, VmRenewal } from '../../db/queries/vms/vm-parts.ts';
import type { VmRow } from '../../db/queries/vms/vms.ts';
import { readableTime } from '../../platform/readable-time.ts';
import type { EventText } from '../vms/events.ts';
import { formatMinor, toJsonInteger } from './money.ts';
import type { UnpaidSchedule } from './overview.ts';
import type { PriceNotice } from './price-outlook.ts';
import { isRenewed, isRetired } from './retirement.ts';

/** An amount due, and the wallet's shortfall for it, in minor units of the VM's currency. */
interface Due {
  amount: bigint;
  lacking: bigint;
}

const inMetadata = ({ currency, billing_period_end_at }: VmDue, { amount, lacking }: Due) => ({
  due_at: billing_period_end_at,
  amount_minor: toJsonInteger(amount),
  lacking_minor: toJsonInteger(lacking),
  currency,
});

/** Returns what the owner can do to get an unpaid VM back, as the end of a sentence. */
export function wayBack(vm: VmRenewal): string {
  if (isRetired(vm)) return 'contact support, because its plan is retired';
  return vm.auto_renew
    ? 'top up the wallet'
    : 'turn on automatic renewal and make sure that the wallet covers it';
}

/** Warns some days before the end of a period whose renewal the wallet does not cover. */
export function renewalDue(vm: VmDue, days: number, due: Due): EventText {
  const { currency } = vm;
  const when = days === 1 ? '1 day' : `${days} days`;
  return {
    type: 'billing.renewal_due',
    message: `The VM renews in ${when} for ${formatMinor(due.amount, currency)}. The wallet does not cover this: you are ${formatMinor(due.lacking, currency)} short.`,
    metadata: { days, ...inMetadata(vm, due) },
  };
}

/** Advance notice of a higher price. */
export function priceChange(
  { currency }: Pick<VmDue, 'currency'>,
  { old_minor, price_minor, from }: PriceNotice,
): EventText {
  return {
    type: 'billing.price_change',
    message: `From ${readableTime(from)}, the VM renews for ${formatMinor(price_minor, currency)} per month instead of ${formatMinor(old_minor, currency)}.`,
    metadata: {
      from_at: from,
      old_price_monthly_minor: toJsonInteger(old_minor),
      price_monthly_minor: toJsonInteger(price_minor),
      currency,
    },
  };
}

/** Its plan is retired, and it ends with its period: announced once, and again some days before the end. */
export function planRetires({ plan }: Pick<VmRow, 'plan'>, retiresAt: Date, days?: number): EventText {
  const at = readableTime(retiresAt);
  return {
    type: 'billing.plan_retires',
    message: `Plan ${plan} is being retired: on ${at}, the VM will not be renewed but switched off. To keep it, change its plan before then.`,
    metadata: { plan, retires_at: retiresAt, ...(days !== undefined && { days }) },
  };
}

/** The period is over, and the VM is unpaid or will not renew. */
export function periodOver(
  vm: VmDue & VmRenewal,
  due: Due,
  { suspends_at, deletes_at }: UnpaidSchedule,
): EventText {
  const { currency, billing_period_end_at: end } = vm;
  const renewed = isRenewed(vm);
  const amount = formatMinor(due.amount, currency);
  const off = suspends_at > end ? `on ${readableTime(suspends_at)}` : 'now';
  const unpaid = `The wallet does not cover the renewal for ${amount}: you are ${formatMinor(due.lacking, currency)} short. Unless you top up, the VM will be switched off ${off}.`;
  const ended = `The paid period is over, and the VM will not be renewed: it is being switched off now. To keep it, ${wayBack(vm)}. The amount due is ${amount}.`;
  return {
    type: renewed ? 'billing.unpaid' : 'billing.ended',
    message: renewed ? unpaid : ended,
    metadata: { suspends_at, deletes_at, ...inMetadata(vm, due) },
  };
}

export function suspended(vm: VmRenewal, deletesAt: Date): EventText {
  const why = isRenewed(vm) ? 'it is unpaid' : 'its paid period is over';
  return {
    type: 'vm.suspended',
    message: `The VM was switched off because ${why}. To get it back, ${wayBack(vm)}. Otherwise it will be deleted with its data on ${readableTime(deletesAt)}.`,
    metadata: { due_at: vm.billing_period_end_at, deletes_at: deletesAt },
  };
}

/** The VM could not be switched off, either for an unpaid period or for its account's debt. */
export function suspensionFailed(nextAt: Date): EventText {
  return {
    type: 'billing.suspension_failed',
    message: `The VM should be off because of an unpaid amount, but could not be switched off. The next attempt is on ${readableTime(nextAt)}.`,
    metadata: { next_attempt_at: nextAt },
  };
}

/** The VM was deleted, and the wallet did not cover its usage. */
export function leftDebt(
  currency: string,
  order: { id: string; amount_minor: bigint },
  owed: bigint,
): EventText {
  return {
    type: 'billing.debt',
    message: `The VM's usage until its deletion was ${formatMinor(order.amount_minor, currency)}. The wallet did not cover ${formatMinor(owed, currency)} of it. The account owes that amount and cannot buy anything until it is paid.`,
    metadata: {
      order_id: order.id,
      amount_minor: toJsonInteger(order.amount_minor),
      debt_minor: toJsonInteger(owed),
      currency,
    },
  };
}

/** `percent` of the traffic included in the period was sent. */
export function trafficUsed(
  vm: VmDue,
  percent: number,
  { used_bytes, included_bytes }: { used_bytes: bigint; included_bytes: bigint },
  price: string,
): EventText {
  const beyond = percent < 100 ? 'Further traffic costs' : 'From now on, traffic costs';
  return {
    type: 'billing.traffic_used',
    message: `${percent} % of the traffic that is included until ${readableTime(vm.billing_period_end_at)} has been used. ${beyond} ${price} ${vm.currency} per GB.`,
    metadata: {
      percent,
      due_at: vm.billing_period_end_at,
      used_bytes: toJsonInteger(used_bytes),
      included_bytes: toJsonInteger(included_bytes),
      price_per_gb: price,
      currency: vm.currency,
    },
  };
}

/** Warns some days before the deletion. */
export function deletionDue(vm: VmDue & VmRenewal, due: Due, deletesAt: Date): EventText {
  return {
    type: 'billing.deletion_due',
    message: `The VM is unpaid and will be deleted with its data on ${readableTime(deletesAt)}. To keep it, ${wayBack(vm)}. The amount due is ${formatMinor(due.amount, vm.currency)}.`,
    metadata: { deletes_at: deletesAt, ...inMetadata(vm, due) },
  };
}
