import assert from 'node:assert/strict';
import { type Queryable, type Sql, sql } from '../../server/db/database.ts';

/** What must be true, and the query that finds what contradicts it: rows of one text column `what`. */
type Laws = Record<string, Sql>;

const LEDGER: Laws = {
  'a wallet is what its journal says': sql`
    select w.account_id || ' has ' || w.available_minor || ' + ' || w.held_minor || ' held, journal says '
      || coalesce(j.available, 0) || ' + ' || coalesce(j.held, 0) as what
    from wallets w left join (
      select account_id, sum(case 'wallet' when credit then amount_minor when debit then -amount_minor else 0 end) as available,
        sum(case 'hold' when credit then amount_minor when debit then -amount_minor else 0 end) as held
      from journal group by account_id
    ) j using (account_id)
    where w.available_minor <> coalesce(j.available, 0) or w.held_minor <> coalesce(j.held, 0)`,
  'what is held is what pending orders ask for': sql`
    select w.account_id || ' holds ' || w.held_minor || ', orders ask for ' || coalesce(o.asked, 0) as what
    from wallets w left join (
      select account_id, sum(amount_minor) as asked from orders
      where status = 'pending' and amount_minor > 0 group by account_id
    ) o using (account_id)
    where w.held_minor <> coalesce(o.asked, 0)`,
  'money from outside is a succeeded payment': sql`
    select w.account_id || ' was paid ' || coalesce(p.paid, 0) || ', journal says ' || coalesce(j.cash, 0) as what
    from wallets w
    left join (select account_id, sum(amount_minor) as paid from payments where status = 'succeeded' group by account_id) p
      using (account_id)
    left join (
      select account_id, sum(case 'cash' when debit then amount_minor when credit then -amount_minor else 0 end) as cash
      from journal group by account_id
    ) j using (account_id)
    where coalesce(p.paid, 0) <> coalesce(j.cash, 0)`,
  "an order's transfers are what its status says": sql`
    select o.id || ' (' || o.kind || ', ' || o.status || ', ' || o.amount_minor || ') moved '
      || coalesce(j.revenue, 0) || ' to revenue, holds ' || coalesce(j.held, 0) as what
    from orders o left join (
      select order_id, sum(case 'revenue' when credit then amount_minor when debit then -amount_minor else 0 end) as revenue,
        sum(case 'hold' when credit then amount_minor when debit then -amount_minor else 0 end) as held
      from journal where order_id is not null group by order_id
    ) j on j.order_id = o.id
    where coalesce(j.revenue, 0) <> case o.status when 'completed' then o.amount_minor else 0 end
      or coalesce(j.held, 0) <> case o.status when 'pending' then greatest(o.amount_minor, 0) else 0 end`,
  "an order's lines add up to it": sql`
    select o.id || ' is ' || o.amount_minor || ', its lines are ' || coalesce(l.total, 0) as what
    from orders o left join (select order_id, sum(amount_minor) as total from order_lines group by order_id) l
      on l.order_id = o.id
    where o.amount_minor <> coalesce(l.total, 0)`,
  'a completed order is on an invoice of its account, no other order is on any': sql`
    select o.id || ' is ' || o.status || ' on ' || coalesce(i.id, 'no invoice') as what
    from orders o left join invoices i on i.id = o.invoice_id and i.account_id = o.account_id
    where (o.status = 'completed') <> (i.id is not null)`,
  'invoices of an account are numbered 1 to n': sql`
    select account_id || ' has ' || count(*) || ' numbered ' || min(number) || ' to ' || max(number) as what
    from invoices group by account_id having min(number) <> 1 or max(number) <> count(*)`,
  'a VM never gives back more than was paid for it': sql`
    select vm_id || ' nets ' || sum(amount_minor) as what
    from orders where status = 'completed' and vm_id is not null group by vm_id having sum(amount_minor) < 0`,
};

const INVENTORY: Laws = {
  'an unfinished job is the one its VM is locked by': sql`
    select jobs.id || ' (' || kind || ', ' || jobs.status || ')' as what
    from jobs left join vms on vms.active_job_id = jobs.id
    where jobs.status in ('pending', 'running') and (vms.id is null or vms.id <> jobs.vm_id)`,
  'a VM is locked by an unfinished job only': sql`
    select vms.id || ' is locked by ' || active_job_id || ', ' || coalesce(jobs.status, 'which does not exist') as what
    from vms left join jobs on jobs.id = active_job_id
    where active_job_id is not null and (jobs.id is null or jobs.status not in ('pending', 'running'))`,
  'a VM shows a passing state only while a job runs': sql`
    select id || ' is ' || status as what from vms
    where deleted_at is null and active_job_id is null
      and status in ('provisioning', 'starting', 'stopping', 'rebooting', 'resizing', 'deleting')`,
  'an order waits for an unfinished job, and a job for a pending order': sql`
    select coalesce(o.id, 'no pending order') || ' of ' || coalesce(jobs.id, 'no unfinished job') as what
    from (select id from orders where status = 'pending') o
    full join (select id, order_id from jobs where status in ('pending', 'running') and order_id is not null) jobs
      on jobs.order_id = o.id
    where o.id is null or jobs.id is null`,
  'a VM that came into being was bought once, any other was not': sql`
    select vms.id || ' was bought ' || count(o.id) || ' times' as what
    from vms left join orders o on o.vm_id = vms.id and o.kind = 'create' and o.status = 'completed'
    group by vms.id, provisioned_at having count(o.id) <> (provisioned_at is not null)::int`,
  'an address in use is that of a living VM': sql`
    select host(address) || ' of ' || vm_id as what
    from ip_addresses join vms on vms.id = vm_id where deleted_at is not null`,
  'a living VM has one address of each family, a creation that failed none': sql`
    select id || ' (' || status || ') has ' || v4 || ' + ' || v6 || ' addresses' as what
    from vms, lateral (
      select count(*) filter (where family(address) = 4) as v4, count(*) filter (where family(address) = 6) as v6
      from ip_addresses where vm_id = vms.id
    ) owned
    where deleted_at is null and not case when provisioned_at is not null then v4 = 1 and v6 = 1
      when active_job_id is not null then v4 = v6 and v4 <= 1 else v4 = 0 and v6 = 0 end`,
  'every address that was ever handed out is still known': sql`
    select name || ' handed out ' || next_offset - 2 || ', knows ' || count(address) as what
    from ip_pools left join ip_addresses on pool = name
    group by name having count(address) <> next_offset - 2`,
};

/** Between VMs and the simulator's guests, which are in the database. */
const SIMULATED: Laws = {
  'a guest belongs to a VM that is there or on its way in or out': sql`
    select g.id || ' of ' || coalesce(vms.status, 'no VM') as what
    from simulator_guests g left join vms on vms.id = g.id
    where vms.id is null or vms.deleted_at is not null or (provisioned_at is null and active_job_id is null)`,
  'a VM at rest has its guest, of its size': sql`
    select vms.id || ' is ' || vcpu || '/' || ram_mb || '/' || disk_gb || ', its guest '
      || coalesce((state->>'vcpu') || '/' || (state->>'ramMb') || '/' || (state->>'diskGb'), 'is not there') as what
    from vms left join simulator_guests g on g.id = vms.id
    where deleted_at is null and provisioned_at is not null and active_job_id is null
      and (state is null or (state->'vcpu')::int <> vcpu or (state->'ramMb')::int <> ram_mb or (state->'diskGb')::int < disk_gb)`,
};

async function violations(db: Queryable, laws: Laws): Promise<string[]> {
  const problems: string[] = [];
  for (const [law, query] of Object.entries(laws)) {
    for (const { what } of await db.query<{ what: string }>(query)) problems.push(`${law}: ${what}`);
  }
  return problems;
}

/** What is wrong with the money, a sentence each; true at any instant between two transactions. */
export function ledgerProblems(db: Queryable): Promise<string[]> {
  return violations(db, LEDGER);
}

/** What is wrong between VMs, jobs and addresses, whatever the engine; true at any such instant too. */
export function vmProblems(db: Queryable): Promise<string[]> {
  return violations(db, INVENTORY);
}

/** The same, and between VMs and simulated guests. */
export function inventoryProblems(db: Queryable): Promise<string[]> {
  return violations(db, { ...INVENTORY, ...SIMULATED });
}

/** Fails where money, VMs, jobs, addresses or guests contradict each other. */
export async function assertInvariants(db: Queryable): Promise<void> {
  assert.deepEqual([...(await ledgerProblems(db)), ...(await inventoryProblems(db))], []);
}
