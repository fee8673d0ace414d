import { type Database, empty, sql, type Transaction } from '../db/database.ts';
import { isBilled } from '../db/queries/billed-vms.ts';
import { systemFindVm, updateVm, type VmRow } from '../db/queries/vms.ts';
import { lockWallet } from '../db/queries/wallets.ts';
import { graceEnd } from '../domain/billing/grace.ts';
import { settleNow } from '../domain/billing/ledger.ts';
import { addMonth, type Period } from '../domain/billing/period.ts';
import { type Charge, monthCharge } from '../domain/billing/pricing.ts';
import { renewalConfiguration } from '../domain/billing/renewal-price.ts';
import { ledger } from '../domain/billing/vm-orders.ts';
import { recordSystemEvent } from '../domain/vms/events.ts';
import { startSystemJob } from '../domain/vms/start-job.ts';
import type { Services } from '../services.ts';

const DAY_MS = 86_400_000;
/** A creation that failed stays visible this long, free of charge, so that its reason can be read. */
const FAILED_CREATION_KEPT_MS = DAY_MS;
/** VMs read at once. */
const BATCH = 500;

/**
 * What time does to VMs: a period that is over is renewed, or the VM becomes unpaid; an unpaid VM is
 * suspended after its grace and deleted some time later. Takes no input and may run at any time, on several
 * nodes at once: each VM is looked at again in its own transaction, and one that fails holds up no other.
 */
export async function renewVms(services: Services): Promise<void> {
  const { db, clock, logger } = services;
  const now = clock.now();
  let last: DueVm | undefined;
  for (;;) {
    const due: DueVm[] = await dueVms(db, now, last);
    for (const { id } of due) {
      await inTransaction(db, id, (tx, vm) => renewOrDun(services, tx, vm)).catch((error) =>
        logger.error({ err: error, vm_id: id }, 'VM not renewed'),
      );
    }
    if (due.length < BATCH) return;
    last = due.at(-1);
  }
}

interface DueVm {
  id: string;
  billing_period_end_at: Date;
}

/** The next VMs whose period is over, unpaid ones included: there may be any number of those. */
function dueVms(db: Database, now: Date, after: DueVm | undefined): Promise<DueVm[]> {
  const rest = after
    ? sql`and (billing_period_end_at, id) > (${after.billing_period_end_at}, ${after.id})`
    : empty;
  return db.query<DueVm>(sql`
    select id, billing_period_end_at from vms where billing_period_end_at <= ${now} and ${isBilled} ${rest}
    order by billing_period_end_at, id limit ${BATCH}`);
}

/** Deletes what is left of creations that failed. */
export async function sweepFailedCreations(services: Services): Promise<void> {
  const before = new Date(services.clock.now().getTime() - FAILED_CREATION_KEPT_MS);
  const stale = await services.db.query<{ id: string }>(sql`
    select id from vms where deleted_at is null and status = 'error' and provisioned_at is null
      and active_job_id is null and updated_at < ${before} limit ${BATCH}`);
  for (const { id } of stale) {
    await inTransaction(services.db, id, async (tx, vm) => {
      if (!vm.active_job_id)
        await startSystemJob({ db: tx, services, now: services.clock.now() }, vm, { kind: 'delete' });
    });
  }
}

function inTransaction(
  db: Database,
  id: string,
  work: (tx: Transaction, vm: VmRow) => Promise<void>,
): Promise<void> {
  return db.transaction(async (tx) => {
    const vm = await systemFindVm(tx, id, true);
    if (vm && !vm.deleted_at) await work(tx, vm);
  });
}

async function renewOrDun(services: Services, tx: Transaction, vm: VmRow): Promise<void> {
  const now = services.clock.now();
  // A job in flight may change the very price; the next round comes soon enough.
  if (vm.billing_period_end_at > now || vm.active_job_id) return;
  const period: Period = {
    startAt: vm.billing_period_end_at,
    endAt: addMonth(vm.billing_period_end_at, vm.billing_anchor_day),
  };
  const configuration = renewalConfiguration(vm, services.catalog);
  const charge = monthCharge(configuration, period, vm.currency);
  const wallet = await lockWallet(tx, vm.account_id);
  if (vm.auto_renew && wallet.available_minor >= charge.total_minor) {
    await renew(services, tx, vm, period, charge, configuration.price_monthly_minor, now);
  } else {
    await dun(services, tx, vm, now);
  }
}

async function renew(
  services: Services,
  tx: Transaction,
  vm: VmRow,
  period: Period,
  charge: Charge,
  price: bigint,
  now: Date,
): Promise<void> {
  const request = { accountId: vm.account_id, vmId: vm.id, kind: 'renew' as const, charge, at: now };
  const order = await settleNow(ledger(services, tx), request);
  const resumed = vm.status === 'suspended';
  const change = {
    billing_period_start_at: period.startAt,
    billing_period_end_at: period.endAt,
    price_monthly_minor: price,
    unpaid_since: null,
    suspended_at: null,
    resume_after_payment: false,
    ...(resumed ? { status: 'stopped' as const } : {}),
  };
  await updateVm(tx, vm.id, change, now);
  const event = {
    type: 'billing.charged',
    message: 'The VM was renewed for a month.',
    metadata: { order_id: order.id },
  };
  await recordSystemEvent(tx, services.clock, { ...vm, vm_id: vm.id, id: undefined }, 'info', event);
  if (resumed && vm.resume_after_payment) {
    await startSystemJob({ db: tx, services, now }, { ...vm, status: 'stopped' }, { kind: 'start' });
  }
}

/** The next step against an unpaid VM. */
async function dun(services: Services, tx: Transaction, vm: VmRow, now: Date): Promise<void> {
  const { grace } = services.catalog;
  const subject = { account_id: vm.account_id, vm_id: vm.id };
  if (!vm.unpaid_since) {
    await updateVm(tx, vm.id, { unpaid_since: vm.billing_period_end_at }, now);
    const event = {
      type: 'billing.unpaid',
      message: 'The wallet did not cover the renewal. The VM will be suspended.',
    };
    const ended = {
      type: 'billing.ended',
      message: 'The paid period is over and the VM is not to be renewed.',
    };
    await recordSystemEvent(tx, services.clock, subject, 'warning', vm.auto_renew ? event : ended);
  }
  if (!vm.suspended_at && now >= graceEnd(vm, grace)) {
    // It may be a second attempt, after one that had cut the power and then failed.
    const resume = vm.resume_after_payment || vm.status === 'running';
    await updateVm(tx, vm.id, { resume_after_payment: resume }, now);
    await startSystemJob({ db: tx, services, now }, vm, { kind: 'force_stop', input: { suspend: true } });
  } else if (
    vm.suspended_at &&
    now.getTime() - vm.suspended_at.getTime() >= grace.delete_after_days * DAY_MS
  ) {
    await startSystemJob({ db: tx, services, now }, vm, { kind: 'delete' });
  }
}
