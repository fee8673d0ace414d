import { join } from 'node:path';
import { type Database, sql, type Transaction } from '../../server/db/database.ts';
import { lookUpWallet } from '../../server/db/queries/money/wallets.ts';
import { insertVm } from '../../server/db/queries/vms/insert-vm.ts';
import { updateVm, type VmRow } from '../../server/db/queries/vms/vms.ts';
import { creditAccount } from '../../server/domain/accounts/book-payment.ts';
import { createAccount } from '../../server/domain/accounts/create-account.ts';
import type { LedgerContext, OrderRequest } from '../../server/domain/billing/ledger.ts';
import { containedTax } from '../../server/domain/billing/money.ts';
import { firstPeriod } from '../../server/domain/billing/period.ts';
import type { Charge } from '../../server/domain/billing/pricing.ts';
import { loadCatalog } from '../../server/domain/catalog/load-catalog.ts';
import { newMac } from '../../server/domain/vms/mac.ts';
import type { Clock } from '../../server/platform/clock.ts';
import { newId } from '../../server/platform/ids.ts';

/** The shipped catalog: s1 costs 3.99 per month, the parts of custom sizes 2.20, 1.10 and 0.045. */
export const catalog = loadCatalog(join(import.meta.dirname, '../../catalog.yaml'));

/** Creates an account whose wallet holds `amountMinor` and returns its id. */
export async function fundedAccount(db: Database, clock: Clock, amountMinor = 0n): Promise<string> {
  return db.transaction(async (tx) => {
    const { id } = await createAccount(tx, clock, { name: 'Test', currency: catalog.currency, limits: {} });
    if (amountMinor > 0n) await creditAccount(tx, clock, { accountId: id, amountMinor, method: 'test' });
    return id;
  });
}

/** Returns a VM on plan s1 that was bought and created at the clock's instant. */
export function newVm(clock: Clock, accountId: string, change: Partial<VmRow> = {}): VmRow {
  const now = clock.now();
  const period = firstPeriod(now);
  return {
    id: newId('vm', clock),
    account_id: accountId,
    hostname: 'web-1',
    notes: null,
    status: 'running',
    plan: 's1',
    template: 'debian-12',
    region: 'eu-central',
    zone: 'eu-central-a',
    vcpu: 1,
    ram_mb: 1024,
    disk_gb: 20,
    dedicated: false,
    bandwidth_gb: 10_000,
    mac: newMac(),
    engine: 'simulator',
    host_id: null,
    moving_to: null,
    price_monthly_minor: 399n,
    currency: catalog.currency,
    tax_rate: '0.2',
    rounding_remainder: 0n,
    refundable_minor: null,
    add_ons: null,
    next_billing_mode: 'monthly',
    price_hourly_micros: null,
    metered_since: null,
    deposit_minor: null,
    deposit_since: null,
    usage_sold_until: null,
    auto_renew: true,
    billing_anchor_day: now.getUTCDate(),
    billing_period_start_at: period.startAt,
    billing_period_end_at: period.endAt,
    unpaid_since: null,
    suspended_at: null,
    grace_ended_at: null,
    resume_after_payment: false,
    debt_suspended_at: null,
    renewal_priority: 100,
    upgraded_at: null,
    renewal_notices: 0,
    deletion_notice_at: null,
    dunning_failures: 0,
    dunning_next_at: null,
    deletion_failed_at: null,
    priced_at: now,
    price_notice_minor: null,
    price_notice_at: null,
    price_notice_from_at: null,
    prices_seen_until: null,
    retires_at: null,
    usage_priced: false,
    traffic_notices: 0,
    throttle_mbps: null,
    throttle_cause: null,
    included_notice_for: null,
    unpaid_notice_for: null,
    wanted_power: 'on',
    restart_attempts: 0,
    restart_next_at: null,
    provisioned_at: now,
    active_job_id: null,
    last_job_id: null,
    network_generation: 1,
    network_applied: 1,
    created_at: now,
    updated_at: now,
    deleted_at: null,
    ...change,
  };
}

/** Inserts such a VM and returns it. */
export async function storedVm(
  db: Database,
  clock: Clock,
  accountId: string,
  change: Partial<VmRow> = {},
): Promise<VmRow> {
  const vm = newVm(clock, accountId, change);
  await insertVm(db, vm);
  const { unpaid_since, suspended_at, provisioned_at, deleted_at } = vm;
  const [host] = await db.query<{ id: string }>(
    sql`select id from hosts where engine = ${vm.engine} limit 1`,
  );
  const host_id = host?.id ?? null;
  await updateVm(db, vm.id, { unpaid_since, suspended_at, provisioned_at, deleted_at, host_id }, clock.now());
  vm.host_id = host_id;
  return vm;
}

export function chargeOf(...amounts: bigint[]): Charge {
  const at = new Date('2026-01-01T00:00:00Z');
  const lines = amounts.map((amount_minor, index) => ({
    description: `Line ${index + 1}`,
    quantity: 1,
    unit: 'month',
    unit_price: '3.99',
    amount_minor,
    from_at: at,
    to_at: at,
    proration: amounts.length > 1,
    tax_rate: '0.2',
    tax_minor: containedTax(amount_minor, '0.2'),
    tax_category: 'standard' as const,
    tax_reason: null,
  }));
  return { lines, total_minor: amounts.reduce((sum, amount) => sum + amount, 0n) };
}

/** Runs `work` with the ledger in one transaction at the clock's instant. */
export function withLedger<T>(
  db: Database,
  clock: Clock,
  work: (ledger: LedgerContext, tx: Transaction) => Promise<T>,
): Promise<T> {
  return db.transaction((tx) => work({ tx, clock }, tx));
}

/** Returns an order of these line amounts at the clock's instant. */
export function orderOf(clock: Clock, vm: VmRow, ...amounts: bigint[]): OrderRequest {
  const { account_id: accountId, id: vmId } = vm;
  return { accountId, vmId, kind: 'adjustment', charge: chargeOf(...amounts), at: clock.now() };
}

export async function balancesOf(db: Database, accountId: string) {
  const { available_minor, held_minor } = await lookUpWallet(db, accountId);
  return { available: available_minor, held: held_minor };
}

/** Computes the wallet's balances from the journal only. */
export async function journalBalancesOf(db: Database, accountId: string) {
  const [row] = await db.query<{ available: bigint; held: bigint }>(sql`
    select coalesce(sum(case when credit in ('wallet', 'promo') then amount_minor else 0 end
        - case when debit in ('wallet', 'promo') then amount_minor else 0 end), 0)::bigint as available,
      coalesce(sum(case 'hold' when credit then amount_minor when debit then -amount_minor end), 0)::bigint as held
    from journal where account_id = ${accountId}`);
  return row!;
}

/** Returns the reasons of the account's journal entries, oldest first. */
export async function reasonsOf(db: Database, accountId: string): Promise<string[]> {
  const rows = await db.query<{ reason: string }>(
    sql`select reason from journal where account_id = ${accountId} order by id`,
  );
  return rows.map((row) => row.reason);
}
