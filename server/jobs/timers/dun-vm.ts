import type { Transaction } from '../../db/database.ts';
import { lastGraceAt, noteGrace } from '../../db/queries/money/graces.ts';
import type { MeteredVm } from '../../db/queries/money/meters.ts';
import type { VmDunning, VmGrace, VmIdentity } from '../../db/queries/vms/vm-parts.ts';
import { updateVm, type VmChange, type VmRow } from '../../db/queries/vms/vms.ts';
import type { Signals } from '../../db/signals.ts';
import type { Arrears } from '../../domain/billing/arrears.ts';
import { deletionDue, periodOver } from '../../domain/billing/dunning-events.ts';
import { deletionAt, deletionNoticeAt, graceEnd, graceOfAccount } from '../../domain/billing/grace.ts';
import { max } from '../../domain/billing/money.ts';
import { unpaidSchedule } from '../../domain/billing/overview.ts';
import { readUnpaid } from '../../domain/billing/usage-terms.ts';
import type { Catalog } from '../../domain/catalog/catalog-schema.ts';
import { settleDeletion } from '../../domain/vms/delete-vm.ts';
import type { EventText } from '../../domain/vms/events.ts';
import type { JobPublisher } from '../../domain/vms/job-publisher.ts';
import { startSystemJob } from '../../domain/vms/start-job.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { warnOwners } from '../tell-owners.ts';

export interface DunServices {
  catalog: Catalog;
  clock: Clock;
  queue: JobPublisher;
  secrets: SecretBox;
  signals: Signals;
}

/** Wait before the second attempt to switch off or delete an unpaid VM; it doubles with each further attempt, … */
const FIRST_WAIT_MS = 60_000;
/** … up to this, which makes two dozen attempts, and as many jobs, per day. */
const LONGEST_WAIT_MS = 3_600_000;

export type DunningStep = 'suspend' | 'give_notice' | 'delete';

/**
 * Returns the step that is due against an unpaid VM; null if none is due, or while a failed attempt waits for its
 * retry.
 */
export function nextDunningStep(vm: VmDunning, grace: Catalog['grace'], now: Date): DunningStep | null {
  if (vm.suspended_at && !vm.deletion_notice_at)
    return now >= deletionNoticeAt(vm.suspended_at, grace) ? 'give_notice' : null;
  if (vm.dunning_next_at && now < vm.dunning_next_at) return null;
  const deletes = deletionAt(vm, grace);
  if (deletes) return now >= deletes ? 'delete' : null;
  return now >= graceEnd(vm, grace) ? 'suspend' : null;
}

/** The debt of an unpaid VM (`arrears`), and the available amount of its wallet, which is locked (`available`). */
interface Debt {
  arrears: Arrears;
  available: bigint;
  now: Date;
}

/** Takes the next step against an unpaid VM. */
export async function dun(services: DunServices, tx: Transaction, row: MeteredVm, debt: Debt): Promise<void> {
  const { catalog } = services;
  const { now } = debt;
  const amount = debt.arrears.total_minor;
  const due = { amount, lacking: max(amount - debt.available, 0n) };
  const notify = (event: EventText) =>
    warnOwners(tx, services, { account_id: row.account_id, vm_id: row.id }, event);
  const granted = row.unpaid_since ? {} : await grantGrace(tx, row, catalog);
  const vm = { ...row, unpaid_since: row.unpaid_since ?? row.billing_period_end_at, ...granted };
  if (!row.unpaid_since) {
    await updateVm(tx, vm.id, { unpaid_since: vm.unpaid_since, ...granted }, now);
    await readUnpaid(tx, row, now);
    await notify(periodOver(vm, due, unpaidSchedule(vm, catalog.grace)!));
  }
  const start = { db: tx, services, now };
  switch (nextDunningStep(vm, catalog.grace, now)) {
    case 'suspend': {
      // This may be a second attempt, after one that cut the power and then failed.
      const resume = vm.resume_after_payment || vm.status === 'running';
      const ended = { grace_ended_at: graceEnd(vm, catalog.grace) };
      await updateVm(tx, vm.id, { resume_after_payment: resume, ...ended }, now);
      await startSystemJob(start, vm, { kind: 'force_stop', input: { suspend: true } });
      break;
    }
    case 'give_notice': {
      const notified = { ...vm, deletion_notice_at: now };
      await updateVm(tx, vm.id, { deletion_notice_at: now }, now);
      await notify(deletionDue(notified, due, deletionAt(notified, catalog.grace)!));
      break;
    }
    case 'delete':
      await startSystemJob(start, vm, { kind: 'delete' });
      // Nothing is refunded, and usage since the last charge is still owed.
      if (vm.usage_priced || vm.add_ons) await settleDeletion(services, tx, vm, now);
  }
}

/**
 * Decides on the grace period of a VM whose period is over, if the catalog limits how often an account gets one. The
 * account's wallet must be locked.
 */
async function grantGrace(tx: Transaction, vm: VmIdentity & VmGrace, catalog: Catalog): Promise<VmChange> {
  if (!catalog.grace_once_months) return {};
  const { endAt, begins } = graceOfAccount(vm, catalog, await lastGraceAt(tx, vm.account_id));
  if (begins) await noteGrace(tx, vm.account_id, vm.billing_period_end_at);
  return { grace_ended_at: endAt };
}

/** Returns when to retry after a failed attempt, at `at`, to switch off or delete an unpaid VM. */
export function putOffDunning(
  vm: Pick<VmRow, 'dunning_failures'>,
  at: Date,
): Pick<Required<VmChange>, 'dunning_failures'> & { dunning_next_at: Date } {
  const dunning_failures = vm.dunning_failures + 1;
  const wait = Math.min(FIRST_WAIT_MS * 2 ** (dunning_failures - 1), LONGEST_WAIT_MS);
  return { dunning_failures, dunning_next_at: new Date(at.getTime() + wait) };
}
