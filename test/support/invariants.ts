import assert from 'node:assert/strict';
import { type Queryable, type Sql, sql } from '../../server/db/database.ts';
import { ADD_ON_LAWS } from '../../server/domain/billing/audit/add-on-laws.ts';
import { auditNow } from '../../server/domain/billing/audit/audit.ts';
import { PERIOD_LAWS } from '../../server/domain/billing/audit/period-laws.ts';

/** Invariants, each with a query that finds violations: rows with one text column `what`. */
type Laws = Record<string, Sql>;

/** A VM whose last job was given up, so that parts of it may remain on the engine. */
const isAbandoned = sql`exists (select 1 from jobs last where last.id = vms.last_job_id and last.abandoned)`;

/** In addition to the audit's laws: old books, from before lines had their own tax, do not satisfy this one. */
const LEDGER: Laws = {
  'the tax of a line is computed at its rate': sql`
    select order_id || ' line ' || position || ' has ' || tax_minor || ' tax in ' || amount_minor || ' at ' || tax_rate as what
    from order_lines
    where tax_minor <> case unit when 'deposit' then 0 else round(amount_minor * tax_rate / (1 + tax_rate)) end`,
};

const INVENTORY: Laws = {
  'an unfinished job holds the lock of its VM': sql`
    select jobs.id || ' (' || kind || ', ' || jobs.status || ')' as what
    from jobs left join vms on vms.active_job_id = jobs.id
    where jobs.status in ('pending', 'running') and (vms.id is null or vms.id <> jobs.vm_id)`,
  'only an unfinished job locks a VM': sql`
    select vms.id || ' is locked by ' || active_job_id || ', ' || coalesce(jobs.status, 'which does not exist') as what
    from vms left join jobs on jobs.id = active_job_id
    where active_job_id is not null and (jobs.id is null or jobs.status not in ('pending', 'running'))`,
  'a VM is in a transitional state only while a job runs': sql`
    select id || ' is ' || status as what from vms
    where deleted_at is null and active_job_id is null
      and status in ('provisioning', 'starting', 'stopping', 'rebooting', 'resizing', 'deleting')`,
  'a pending order belongs to an unfinished job, and the order of an unfinished job is pending': sql`
    select coalesce(o.id, 'no pending order') || ' of ' || coalesce(jobs.id, 'no unfinished job') as what
    from (select id from orders where status = 'pending') o
    full join (select id, order_id from jobs where status in ('pending', 'running') and order_id is not null) jobs
      on jobs.order_id = o.id
    where o.id is null or jobs.id is null`,
  'a VM that was created was bought once, and no other VM was bought': sql`
    select vms.id || ' was bought ' || count(o.id) || ' times' as what
    from vms left join orders o on o.vm_id = vms.id and o.kind = 'create' and o.status = 'completed'
    group by vms.id, provisioned_at having count(o.id) <> (provisioned_at is not null)::int`,
  'an address in use belongs to an existing VM': sql`
    select host(address) || ' of ' || vm_id as what
    from ip_addresses join vms on vms.id = vm_id where deleted_at is not null`,
  'an existing VM has one address of each family; after a failed creation it has none unless its guest may be left': sql`
    select id || ' (' || status || ') has ' || v4 || ' + ' || v6 || ' addresses' as what
    from vms, lateral (
      select count(*) filter (where family(address) = 4) as v4, count(*) filter (where family(address) = 6) as v6
      from ip_addresses where vm_id = vms.id
    ) owned
    where deleted_at is null and not case when provisioned_at is not null then v4 = 1 and v6 = 1
      when active_job_id is not null or ${isAbandoned} then v4 = v6 and v4 <= 1 else v4 = 0 and v6 = 0 end`,
  'a VM has capacity reserved exactly while it may have a guest, and at least its size': sql`
    select id || ' (' || status || ') is ' || vcpu || '/' || ram_mb || '/' || disk_gb || ', reserved are '
      || coalesce(shared || ' + ' || cores || '/' || r_ram_mb || '/' || r_disk_gb, 'none') as what
    from vms left join (
      select vm_id, vcpu as shared, cores, ram_mb as r_ram_mb, disk_gb as r_disk_gb from reservations) r on vm_id = vms.id
    where case
      when deleted_at is not null or (provisioned_at is null and active_job_id is null and not ${isAbandoned})
        then vm_id is not null
      -- A creation that failed is deleted without any.
      else (vm_id is null and provisioned_at is not null) or case when dedicated then cores else shared end < vcpu
        or r_ram_mb < ram_mb or r_disk_gb < disk_gb end`,
  'every address that was ever assigned is still recorded': sql`
    select name || ' handed out ' || next_offset - 2 || ', knows ' || count(address) as what
    from ip_pools left join ip_addresses on pool = name
    group by name having count(address) <> next_offset - 2`,
};

/** Invariants between VMs and the simulator's guests, which are in the database. */
const SIMULATED: Laws = {
  'a guest belongs to a VM that exists, is being created or deleted, or was abandoned': sql`
    select g.id || ' of ' || coalesce(vms.status, 'no VM') as what
    from simulator_guests g left join vms on vms.id = g.id
    where vms.id is null or vms.deleted_at is not null or (provisioned_at is null and active_job_id is null and not ${isAbandoned})`,
  'an idle VM has its guest, at its size': sql`
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

/** Returns violations in the books, one sentence each. There are none between any two transactions. */
export async function moneyProblems(db: Queryable): Promise<string[]> {
  const findings = await auditNow(db);
  return [...findings.map(({ law, what }) => `${law}: ${what}`), ...(await violations(db, LEDGER))];
}

/**
 * Returns {@link moneyProblems} without the laws about the periods of VMs, which orders invented by a test do not
 * satisfy.
 */
export async function ledgerProblems(db: Queryable): Promise<string[]> {
  const problems = await moneyProblems(db);
  const ofPeriods = [...PERIOD_LAWS, ...ADD_ON_LAWS];
  return problems.filter((problem) => !ofPeriods.some(({ name }) => problem.startsWith(`${name}: `)));
}

/** Returns violations between VMs, jobs and addresses, for any engine. There are none between any two transactions. */
export function vmProblems(db: Queryable): Promise<string[]> {
  return violations(db, INVENTORY);
}

/** Returns violations between VMs, jobs, addresses and simulated guests. */
export function inventoryProblems(db: Queryable): Promise<string[]> {
  return violations(db, { ...INVENTORY, ...SIMULATED });
}

/** Fails if money, VMs, jobs, addresses or guests contradict each other. */
export async function assertInvariants(db: Queryable): Promise<void> {
  assert.deepEqual([...(await moneyProblems(db)), ...(await inventoryProblems(db))], []);
}
