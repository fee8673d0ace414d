import type { Database } from '../../db/database.ts';
import {
  debtWarnedAt,
  indebtedAccounts,
  setDebtWarnedAt,
  vmsThatRun,
  vmsToResume,
  vmsToSuspend,
} from '../../db/queries/money/debt-suspensions.ts';
import { lockWallet } from '../../db/queries/money/wallets.ts';
import { systemFindVm, updateVm, type VmRow } from '../../db/queries/vms/vms.ts';
import { DEBT_SETTLED, debtDue, debtSuspendsAt } from '../../domain/billing/debt-suspension.ts';
import { unpaidDebt } from '../../domain/billing/ledger.ts';
import { recordSystemEvent } from '../../domain/vms/events.ts';
import { startSystemJob } from '../../domain/vms/start-job.ts';
import type { Failures } from '../../platform/failures.ts';
import { warnOwners } from '../tell-owners.ts';
import type { DunServices } from './dun-vm.ts';

export interface DebtorServices extends DunServices {
  db: Database;
}

/** Accounts or VMs per query. */
const BATCH = 500;

/**
 * If the catalog says so, warns the owners of accounts with a debt and switches their VMs off some time after the
 * warning. Brings the VMs back once the debt is paid. Each VM is checked again in its own transaction; a busy VM waits
 * for the next round.
 */
export async function suspendDebtors(services: DebtorServices, failures: Failures): Promise<void> {
  const { db, clock, catalog } = services;
  const now = clock.now();
  const attempt = (work: (id: string) => Promise<void>) => (id: string) =>
    failures.attempt('suspend_debtors', () => work(id), id);
  await each(
    (after) => indebtedAccounts(db, after, BATCH),
    attempt((id) => warn(services, id)),
  );
  if (catalog.debt) {
    const since = new Date(now.getTime() - catalog.debt.suspend_after_hours * 3_600_000);
    await each(
      (after) => vmsToSuspend(db, { since, now }, after, BATCH),
      attempt((id) => suspend(services, id)),
    );
  }
  await each(
    (after) => vmsToResume(db, after, BATCH),
    attempt((id) => resume(services, id)),
  );
}

async function each(
  read: (after: string) => Promise<string[]>,
  work: (id: string) => Promise<unknown>,
): Promise<void> {
  for (let after = ''; ; ) {
    const ids = await read(after);
    for (const id of ids) await work(id);
    if (ids.length < BATCH) return;
    after = ids.at(-1)!;
  }
}

/**
 * Starts the clock on a debt, with a warning for each VM, or stops it if nothing is owed or the catalog no longer
 * suspends debtors.
 */
function warn(services: DebtorServices, accountId: string): Promise<void> {
  const { db, clock, catalog } = services;
  return db.transaction(async (tx) => {
    const wallet = await lockWallet(tx, accountId);
    const warnedAt = await debtWarnedAt(tx, accountId);
    const owed = catalog.debt ? unpaidDebt(wallet) : 0n;
    if (owed === 0n) {
      if (warnedAt) await setDebtWarnedAt(tx, accountId, null);
      return;
    }
    if (warnedAt) return;
    const vms = await vmsThatRun(tx, accountId);
    if (vms.length === 0) return;
    const now = clock.now();
    await setDebtWarnedAt(tx, accountId, now);
    const event = debtDue(wallet.currency, owed, debtSuspendsAt(catalog, now)!);
    for (const { id } of vms) await warnOwners(tx, services, { account_id: accountId, vm_id: id }, event);
  });
}

/** Runs `work` on a VM that has no job, with its wallet locked and the time since which the debt counts. */
function onIdle(
  { db }: DebtorServices,
  id: string,
  work: (
    tx: Parameters<Parameters<Database['transaction']>[0]>[0],
    vm: VmRow,
    since: Date | null,
  ) => Promise<void>,
): Promise<void> {
  return db.transaction(async (tx) => {
    const vm = await systemFindVm(tx, id, true);
    if (!vm || vm.deleted_at || vm.active_job_id || vm.status === 'deleting') return;
    await lockWallet(tx, vm.account_id);
    await work(tx, vm, await debtWarnedAt(tx, vm.account_id));
  });
}

function suspend(services: DebtorServices, id: string): Promise<void> {
  const now = services.clock.now();
  return onIdle(services, id, async (tx, vm, since) => {
    const at = debtSuspendsAt(services.catalog, since);
    if (!at || now < at || vm.status === 'suspended') return;
    // This may be a second attempt, after one that cut the power and then failed.
    const resume = vm.resume_after_payment || vm.status === 'running';
    await updateVm(tx, vm.id, { resume_after_payment: resume }, now);
    await startSystemJob({ db: tx, services, now }, vm, { kind: 'force_stop', input: { debt: true } });
  });
}

/** Ends the suspension for a debt. A VM that is also unpaid comes back with its renewal. */
function resume(services: DebtorServices, id: string): Promise<void> {
  const now = services.clock.now();
  return onIdle(services, id, async (tx, vm, since) => {
    if (since || !vm.debt_suspended_at) return;
    const isBack = vm.status === 'suspended' && !vm.suspended_at;
    const back = { status: 'stopped', resume_after_payment: false } as const;
    await updateVm(tx, vm.id, { debt_suspended_at: null, ...(isBack && back) }, now);
    const subject = { account_id: vm.account_id, vm_id: vm.id };
    await recordSystemEvent(tx, services.clock, subject, 'info', DEBT_SETTLED);
    if (isBack && vm.resume_after_payment)
      await startSystemJob({ db: tx, services, now }, { ...vm, status: 'stopped' }, { kind: 'start' });
  });
}
