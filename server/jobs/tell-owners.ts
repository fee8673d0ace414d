import type { Transaction } from '../db/database.ts';
import type { EventType } from '../db/enums.ts';
import { systemFindVm } from '../db/queries/vms/vms.ts';
import { type EventText, recordSystemEvent } from '../domain/vms/events.ts';
import type { MailParts } from '../mail/outbox.ts';
import { mailVmNotice, type VmMailName } from '../mail/owners.ts';
import type { VmNotice } from '../mail/templates/vms.ts';

/** Events of VMs that are mailed to their owners. */
const MAILS: Partial<Record<EventType, VmMailName>> = {
  'billing.debt_due': 'vm_debt_due',
  'billing.debt_suspended': 'vm_debt_suspended',
  'billing.renewal_due': 'vm_renewal_due',
  'billing.unpaid': 'vm_unpaid',
  'billing.ended': 'vm_ended',
  'billing.deletion_due': 'vm_deletion_due',
  'billing.plan_retires': 'vm_plan_retires',
  'billing.price_change': 'vm_price_change',
  'billing.traffic_limited': 'vm_traffic_limited',
  'billing.usage_unpaid': 'vm_usage_unpaid',
  'vm.move_canceled': 'vm_move_canceled',
  'vm.move_scheduled': 'vm_move_scheduled',
  'vm.suspended': 'vm_suspended',
};

interface Subject {
  account_id: string;
  vm_id: string;
}

/** Logs a warning about a VM and mails it to the owners: both or neither. */
export async function warnOwners(
  tx: Transaction,
  parts: MailParts,
  subject: Subject,
  event: EventText,
): Promise<void> {
  await recordSystemEvent(tx, parts.clock, subject, 'warning', event);
  await mailEvent(tx, parts, subject, event);
}

/** Mails an event to the owners of a VM, if it is one they receive. */
export async function mailEvent(
  tx: Transaction,
  parts: MailParts,
  { account_id, vm_id }: Subject,
  { type, metadata = {} }: EventText,
): Promise<void> {
  const template = MAILS[type];
  const vm = template && (await systemFindVm(tx, vm_id));
  if (!vm) return;
  const notice = noticeOf(vm.hostname, metadata);
  await mailVmNotice(tx, parts, account_id, { template, group: String(metadata.days ?? ''), notice });
}

/** Converts an event's metadata to the values of its mail. */
function noticeOf(hostname: string, metadata: Record<string, unknown>): VmNotice {
  const { currency, plan, amount_minor, price_monthly_minor, lacking_minor, old_price_monthly_minor } =
    metadata;
  const { suspends_at, retires_at, from_at, due_at, deletes_at, to_at } = metadata;
  const thenAt = deletes_at ?? to_at;
  const mbps = metadata.throttle_mbps;
  const at = suspends_at ?? retires_at ?? from_at ?? due_at;
  const amount = amount_minor ?? price_monthly_minor;
  return {
    hostname,
    ...(typeof currency === 'string' && { currency }),
    ...(typeof plan === 'string' && { plan }),
    ...(typeof amount === 'number' && { amountMinor: amount }),
    ...(typeof lacking_minor === 'number' && { lackingMinor: lacking_minor }),
    ...(typeof old_price_monthly_minor === 'number' && { oldMinor: old_price_monthly_minor }),
    ...(typeof mbps === 'number' && { throttleMbps: mbps }),
    ...(at instanceof Date && { at: at.toISOString() }),
    ...(thenAt instanceof Date && { thenAt: thenAt.toISOString() }),
  };
}
