import { type Database, empty, sql, type Transaction } from '../../db/database.ts';
import { isBilled } from '../../db/queries/money/billed-vms.ts';
import { findBillingProfile } from '../../db/queries/money/billing-profiles.ts';
import { type MeteredVm, withMeter, withMeters } from '../../db/queries/money/meters.ts';
import { lockWallet } from '../../db/queries/money/wallets.ts';
import { updateVm, type VmRow } from '../../db/queries/vms/vms.ts';
import { storedAddOns } from '../../domain/billing/add-ons.ts';
import { type Arrears, arrearsOf, type DueMonth } from '../../domain/billing/arrears.ts';
import { catalogsOf } from '../../domain/billing/buyers.ts';
import { settleNow, spendableMinor, unpaidDebt } from '../../domain/billing/ledger.ts';
import { noticesAfter, pricedAnew } from '../../domain/billing/price-outlook.ts';
import { meteredAs } from '../../domain/billing/pricing.ts';
import { isRenewed } from '../../domain/billing/retirement.ts';
import { endDeposit, endMissedMonth } from '../../domain/billing/settle-deposit.ts';
import { renewUsage } from '../../domain/billing/usage-terms.ts';
import { ledger } from '../../domain/billing/vm-orders.ts';
import { catalogFor, type SalesCatalog } from '../../domain/catalog/buyer-prices.ts';
import { hasDeposit } from '../../domain/vms/configuration.ts';
import { type EventText, recordSystemEvent } from '../../domain/vms/events.ts';
import { startSystemJob } from '../../domain/vms/start-job.ts';
import { Failures } from '../../platform/failures.ts';
import type { Logger } from '../../platform/logging.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { withLockedVm } from '../with-locked-vm.ts';
import { collectDebts } from './collect-debts.ts';
import { type DunServices, dun, nextDunningStep } from './dun-vm.ts';
import { endPromoCredits } from './end-promo.ts';
import { refundOverlookedAddOns } from './overlooked-add-ons.ts';
import { sellOverlookedDeposits } from './overlooked-deposits.ts';
import { suspendDebtors } from './suspend-debtors.ts';

export interface RenewalServices extends DunServices {
  db: Database;
  logger: Logger;
  metrics: Metrics;
}

const DAY_MS = 86_400_000;
/** A failed creation stays visible this long, free of charge, so that its reason can be read. */
const FAILED_CREATION_KEPT_MS = DAY_MS;
/** VMs per query. */
const BATCH = 500;

/** A VM whose period is over, with what its account could pay as it was read. */
interface DueVm extends MeteredVm {
  available_minor: bigint;
}

/**
 * Renews VMs whose period is over, or marks them as unpaid, and suspends unpaid VMs after their grace period and
 * deletes them some time later. Takes no input and may run at any time, on several nodes at once: each VM is checked
 * again in its own transaction, and one that fails does not hold up the others. An unpaid VM for which no step is due
 * yet is only read. The VMs of an account are processed in the order of their owner's ranking. Before that, expired
 * promotional credit is ended, so that it pays for none of them, and debts are collected; if the catalog says so, any
 * remaining debt suspends VMs.
 */
export async function renewVms(services: RenewalServices, failures = new Failures(services)): Promise<void> {
  const { db, clock } = services;
  const now = clock.now();
  await endPromoCredits(services, failures);
  await collectDebts(services, failures);
  await sellOverlookedDeposits(services, failures);
  await refundOverlookedAddOns(services, failures);
  await suspendDebtors(services, failures);
  let last: DueVm | undefined;
  /** The amount that higher-ranked VMs of this account will take as soon as their jobs have ended. */
  let reserved = 0n;
  for (;;) {
    const due: DueVm[] = await dueVms(db, now, last);
    const soldTo = await catalogsOf(db, services.catalog, due);
    for (const vm of due) {
      if (vm.account_id !== last?.account_id) reserved = 0n;
      last = vm;
      if (vm.active_job_id) reserved += claimOf(vm, soldTo(vm), reserved, now);
      else if (hasToChange(vm, soldTo(vm), now))
        await failures.attempt(
          'renew_vms',
          () => withLockedVm(db, vm.id, (tx, locked) => renewOrDun(services, tx, locked, reserved)),
          vm.id,
        );
    }
    if (due.length < BATCH) return;
  }
}

/** Returns the amount that a busy VM will take from the wallet: nothing if the wallet does not cover it. */
function claimOf(vm: DueVm, catalog: SalesCatalog, reserved: bigint, now: Date): bigint {
  const amount = arrearsOf(vm, catalog, now)?.total_minor ?? 0n;
  return isRenewed(vm) && vm.available_minor - reserved >= amount ? amount : 0n;
}

/** Returns whether {@link renewOrDun} would change anything, as far as can be seen without a lock. */
function hasToChange(vm: DueVm, catalog: SalesCatalog, now: Date): boolean {
  if (!vm.unpaid_since || hasDeposit(vm) || nextDunningStep(vm, catalog.grace, now)) return true;
  const arrears = arrearsOf(vm, catalog, now);
  return arrears !== null && isRenewed(vm) && vm.available_minor >= arrears.total_minor;
}

/** Returns the next VMs whose period is over, including unpaid ones, of which there may be any number. */
async function dueVms(db: Database, now: Date, after: DueVm | undefined): Promise<DueVm[]> {
  const rest = after
    ? sql`and (vms.account_id, renewal_priority, billing_period_end_at, vms.id)
        > (${after.account_id}, ${after.renewal_priority}, ${after.billing_period_end_at}, ${after.id})`
    : empty;
  const vms = await db.query<DueVm>(sql`
    select vms.*, promo_minor + greatest(available_minor - promo_minor - claimed_minor, 0) as available_minor from vms join wallets on wallets.account_id = vms.account_id
    where billing_period_end_at <= ${now} and ${isBilled} ${rest}
    order by vms.account_id, renewal_priority, billing_period_end_at, vms.id limit ${BATCH}`);
  return withMeters(db, vms);
}

export async function sweepFailedCreations(services: RenewalServices, failures: Failures): Promise<void> {
  const before = new Date(services.clock.now().getTime() - FAILED_CREATION_KEPT_MS);
  const stale = await services.db.query<{ id: string }>(sql`
    select id from vms where deleted_at is null and status = 'error' and provisioned_at is null
      and active_job_id is null and updated_at < ${before} limit ${BATCH}`);
  for (const { id } of stale) {
    const remove = async (tx: Transaction, vm: VmRow) => {
      if (!vm.active_job_id)
        await startSystemJob({ db: tx, services, now: services.clock.now() }, vm, { kind: 'delete' });
    };
    await failures.attempt('sweep_failed_creations', () => withLockedVm(services.db, id, remove), id);
  }
}

/** Renews a VM, leaving `reserved` in the wallet, or takes the next step if the VM cannot be paid for. */
async function renewOrDun(
  services: RenewalServices,
  tx: Transaction,
  row: VmRow,
  reserved: bigint,
): Promise<void> {
  const now = services.clock.now();
  // A running job may change the price itself; the next round comes soon enough.
  if (row.active_job_id || row.billing_period_end_at > now) return;
  const vm = await endDeposit(services, tx, await withMeter(tx, row), now);
  const buyer = await findBillingProfile(tx, vm.account_id);
  const catalog = catalogFor(services.catalog, buyer);
  const arrears = arrearsOf(vm, catalog, now, buyer);
  if (!arrears) return;
  const wallet = await lockWallet(tx, vm.account_id);
  const spendable = spendableMinor(wallet);
  const payable = isRenewed(vm) && spendable >= arrears.total_minor;
  // A top-up pays the debt before it renews anything.
  if (!payable) await dun(services, tx, vm, { arrears, available: spendable - unpaidDebt(wallet), now });
  // If only a higher-ranked VM stands in the way of the renewal, this VM waits until that one is decided.
  else if (spendable - reserved >= arrears.total_minor)
    await renew(services, tx, vm, { arrears, catalog, now });
}

async function renew(
  services: RenewalServices,
  tx: Transaction,
  vm: MeteredVm,
  { arrears: { months }, catalog, now }: { arrears: Arrears; catalog: SalesCatalog; now: Date },
): Promise<void> {
  const subject = { account_id: vm.account_id, vm_id: vm.id };
  const settled: (DueMonth & { order_id: string })[] = [];
  for (const month of months) {
    const { charge } = month;
    const request = { accountId: vm.account_id, vmId: vm.id, kind: 'renew' as const, charge, at: now };
    const order = await settleNow(ledger(services, tx), request);
    await endMissedMonth(services, tx, vm, month, now);
    settled.push({ ...month, order_id: order.id });
    const metadata = { order_id: order.id };
    const event: EventText = {
      type: 'billing.charged',
      message: 'The VM was renewed for a month.',
      metadata,
    };
    await recordSystemEvent(tx, services.clock, subject, 'info', event);
  }
  const { charge: sale, period, price_monthly_minor, addOns } = months.at(-1)!;
  const { startAt, endAt } = period;
  // Promotional credit can renew a VM that is off because of a debt: the VM stays off until the debt is paid.
  const isHeld = vm.debt_suspended_at !== null;
  const resumed = vm.status === 'suspended' && !isHeld;
  const change = {
    billing_period_start_at: startAt,
    billing_period_end_at: endAt,
    ...(vm.suspended_at && { billing_anchor_day: startAt.getUTCDate() }),
    price_monthly_minor,
    // After a suspension this is a new sale. Otherwise a notice of the price has either taken effect by now or is void.
    ...(vm.suspended_at ? pricedAnew(vm, now) : noticesAfter(vm, startAt)),
    tax_rate: sale.tax_rate,
    rounding_remainder: sale.remainder,
    refundable_minor: null,
    ...(vm.add_ons && { add_ons: storedAddOns(addOns) }),
    ...meteredAs(sale),
    unpaid_since: null,
    suspended_at: null,
    grace_ended_at: null,
    resume_after_payment: isHeld && vm.resume_after_payment,
    renewal_notices: 0,
    deletion_notice_at: null,
    dunning_failures: 0,
    dunning_next_at: null,
    ...(await renewUsage(tx, catalog, vm, settled, now)),
    ...(resumed && { status: 'stopped' as const }),
  };
  await updateVm(tx, vm.id, change, now);
  if (resumed && vm.resume_after_payment) {
    await startSystemJob({ db: tx, services, now }, { ...vm, status: 'stopped' }, { kind: 'start' });
  }
}
