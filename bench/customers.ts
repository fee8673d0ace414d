import { ALL_SCOPES } from '../server/access/scopes.ts';
import { type Database, sql } from '../server/db/database.ts';
import { ensurePools } from '../server/db/queries/vms/addresses.ts';
import { creditAccount } from '../server/domain/accounts/book-payment.ts';
import { createAccount } from '../server/domain/accounts/create-account.ts';
import { createKey } from '../server/domain/accounts/keys.ts';
import { systemClock } from '../server/platform/clock.ts';

/** An account with money, and keys that may do everything from this machine. */
export interface Customer {
  accountId: string;
  keys: string[];
}

/** Enough for anything a measurement buys. */
const CREDIT_MINOR = 1_000_000_000n;
/** The only host that the simulator has by default. */
const HOST = 'simulator';
const QUOTAS = { vms: 1e6, vcpu: 1e7, ram_mb: 1e9, disk_gb: 1e8 };

/** Creates customers with unlimited quotas and enough money. */
export async function makeCustomers(db: Database, count: number, keysEach = 1): Promise<Customer[]> {
  const customers: Customer[] = [];
  for (let n = 0; n < count; n++) customers.push(await makeCustomer(db, keysEach));
  return customers;
}

function makeCustomer(db: Database, keyCount: number): Promise<Customer> {
  return db.transaction(async (tx) => {
    const account = { name: 'bench', currency: 'EUR', limits: QUOTAS };
    const { id: accountId } = await createAccount(tx, systemClock, account);
    await creditAccount(tx, systemClock, { accountId, amountMinor: CREDIT_MINOR, method: 'bench' });
    const restrictions = { scopes: ALL_SCOPES, expiresAt: null, allowCidrs: ['127.0.0.0/8'] };
    const keys: string[] = [];
    for (let n = 0; n < keyCount; n++) {
      keys.push((await createKey(tx, systemClock, { accountId, name: `key ${n}`, ...restrictions })).key);
    }
    return { accountId, keys };
  });
}

/** Returns the id of the n-th stored VM. Ids sort by age; these are older than any that a service creates. */
export const storedVmId = (n: number) => `vm_0${String(n).padStart(25, '0')}`;

/**
 * Writes `count` VMs of an account directly into the tables, numbered from `from`: switched off, one in ten in state
 * `error`, each with its two addresses and its finished create job.
 */
export async function storeVms(db: Database, accountId: string, from: number, count: number): Promise<void> {
  await ensurePools(db, [{ name: 'bench', network: '10.0.0.0/8' }]);
  await db.transaction(async (tx) => {
    // As written by a release that already knew hosts: otherwise a starting service would rewrite each VM with its
    // host.
    await tx.query(sql`
      insert into hosts (id, engine, name, seen_at) values (${HOST}, 'simulator', ${HOST}, now()) on conflict do nothing`);
    // Foreign keys hold by construction; checking millions of rows would take most of the time.
    await tx.query(sql`set local session_replication_role = replica`);
    await tx.query(sql`
      create temporary table new on commit drop as
      select n, 'vm_0' || lpad(n::text, 25, '0') as vm, 'job_0' || lpad(n::text, 25, '0') as job, now() as at
      from generate_series(${from}::int, ${from + count - 1}::int) as n`);
    await tx.query(sql`
      insert into vms (id, account_id, hostname, status, plan, template, region, zone, vcpu, ram_mb, disk_gb,
        bandwidth_gb, mac, engine, host_id, price_monthly_minor, currency, auto_renew, billing_anchor_day, billing_period_start_at,
        billing_period_end_at, priced_at, provisioned_at, last_job_id, network_applied, created_at, updated_at)
      select vm, ${accountId}, 'host-' || n, case n % 10 when 7 then 'error' else 'stopped' end, 's1', 'debian-12',
        'eu-central', 'eu-central-a', 1, 1024, 20, 10000,
        regexp_replace(lpad(to_hex(n), 12, '0'), '(..)(?!$)', '\\1:', 'g'), 'simulator', ${HOST}, 399, 'EUR', true, 1, at,
        at + interval '1 month', at, at, job, 1, at, at from new`);
    await tx.query(sql`
      insert into jobs (id, account_id, vm_id, kind, status, step, progress, created_at, started_at, finished_at)
      select job, ${accountId}, vm, 'create', 'succeeded', 3, 100, at, at, at from new`);
    await tx.query(sql`
      insert into ip_addresses (address, pool, vm_id)
      select network + n, 'bench', vm from new, (values ('10.0.0.0'::inet), ('2001:db8::'::inet)) as pool (network)`);
  });
  await db.script('vacuum analyze');
}
