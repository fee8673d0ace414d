import { execute, maybeOne, one, type Queryable, type Sql, sql } from '../../database.ts';
import { type Page, pageOf } from '../page.ts';

export const TARGET_MODES = ['always_on', 'sensor', 'off'] as const;
export type TargetMode = (typeof TARGET_MODES)[number];

export interface TargetRow {
  id: string;
  account_id: string;
  tenant_id: string;
  vm_id: string | null;
  ip: string;
  family: 4 | 6;
  mode: TargetMode;
  /** Counts changes to what the edge should have; `applied` is the latest generation that it has. */
  generation: number;
  applied: number;
  /** Usual traffic as last saved; null until it is first known. */
  baseline_pps: number | null;
  baseline_bps: number | null;
  /** Incoming traffic above this counts as an attack; null if the threshold is learnt. */
  threshold_pps: bigint | null;
  threshold_bps: bigint | null;
  /** Until when all traffic to the target is dropped; null if it is not. */
  blackholed_until: Date | null;
  created_at: Date;
  /** Set until the edge has released the target. */
  removed_at: Date | null;
}

/** A target with the rule count and attack state that its list shows. */
export interface TargetView extends TargetRow {
  rules_count: number;
  status: 'clean' | 'under_attack' | 'mitigating';
  last_attack_at: Date | null;
}

const columns = sql`t.id, t.account_id, t.tenant_id, t.vm_id, host(t.ip) as ip, family(t.ip) as family, t.mode, t.generation,
  t.applied, t.baseline_pps, t.baseline_bps, t.threshold_pps, t.threshold_bps, t.blackholed_until, t.created_at, t.removed_at`;

const view = (now: Date): Sql => sql`
  select ${columns}, coalesce(attack.status, 'clean') as status, latest.at as last_attack_at, (
      select count(*)::int from shield_rules
      where target_id = t.id and (expires_at is null or expires_at > ${now})
    ) as rules_count
  from shield_targets t
  left join lateral (
    select case when mitigated_at is null then 'under_attack' else 'mitigating' end as status
    from shield_attacks where target_id = t.id and status = 'ongoing'
  ) attack on true
  left join lateral (select max(started_at) as at from shield_attacks where target_id = t.id) latest on true`;

/** Inserts a target. Returns false if its address already is one, even if the edge only has to release it. */
export async function insertTarget(
  db: Queryable,
  row: Omit<TargetRow, 'family' | 'blackholed_until'>,
): Promise<boolean> {
  const rows = await db.query(sql`
    insert into shield_targets (id, account_id, tenant_id, vm_id, ip, mode, threshold_pps, threshold_bps, created_at)
    values (${row.id}, ${row.account_id}, ${row.tenant_id}, ${row.vm_id}, ${row.ip}::text::inet, ${row.mode},
      ${row.threshold_pps}, ${row.threshold_bps}, ${row.created_at})
    on conflict (ip) do nothing returning id`);
  return rows.length > 0;
}

/** Counts the targets that the edge has or still has to release. */
export async function countProtected(db: Queryable): Promise<number> {
  const statement = sql`select count(*)::int as count from shield_targets where mode <> 'off'`;
  return (await one<{ count: number }>(db, statement)).count;
}

/** Returns the tenant's target, or undefined. The caller must have checked that the tenant belongs to the account. */
export function findTarget(
  db: Queryable,
  tenantId: string,
  id: string,
  now: Date,
): Promise<TargetView | undefined> {
  return maybeOne<TargetView>(
    db,
    sql`${view(now)} where t.id = ${id} and t.tenant_id = ${tenantId} and t.removed_at is null`,
  );
}

/** Returns the target and locks it until the transaction ends, so that its rules can be changed. */
export async function lockTarget(
  db: Queryable,
  tenantId: string,
  id: string,
): Promise<TargetRow | undefined> {
  return maybeOne<TargetRow>(
    db,
    sql`select ${columns} from shield_targets t
      where t.id = ${id} and t.tenant_id = ${tenantId} and t.removed_at is null for no key update`,
  );
}

export function listTargets(db: Queryable, tenantId: string, page: Page, now: Date): Promise<TargetView[]> {
  return db.query<TargetView>(
    sql`${view(now)} where t.tenant_id = ${tenantId} and t.removed_at is null ${pageOf(sql`t.id`, page)}`,
  );
}

/** Returns the targets of all tenants, newest first, for the operator. */
export function systemListTargets(db: Queryable, page: Page, now: Date): Promise<TargetView[]> {
  return db.query<TargetView>(sql`${view(now)} where t.removed_at is null ${pageOf(sql`t.id`, page)}`);
}

export async function countTargets(db: Queryable, tenantId: string): Promise<number> {
  const { n } = await one<{ n: number }>(
    db,
    sql`select count(*)::int as n from shield_targets where tenant_id = ${tenantId} and removed_at is null`,
  );
  return n;
}

/** Returns the ids of a tenant's targets, oldest first. */
export async function targetIdsOf(db: Queryable, tenantId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from shield_targets where tenant_id = ${tenantId} and removed_at is null order by id`);
  return rows.map((row) => row.id);
}

/** Returns the tenant and target of each protected address of a VM, by address. */
export async function shieldOfVm(
  db: Queryable,
  vmId: string,
): Promise<Map<string, { tenant_id: string; target_id: string }>> {
  const rows = await db.query<{ ip: string; tenant_id: string; target_id: string }>(sql`
    select host(ip) as ip, tenant_id, id as target_id from shield_targets
    where vm_id = ${vmId} and removed_at is null`);
  return new Map(rows.map(({ ip, ...place }) => [ip, place]));
}

/** Returns any account's target, for the operator, the detector and the reconciler. */
export function systemFindTarget(db: Queryable, id: string): Promise<TargetRow | undefined> {
  return maybeOne<TargetRow>(db, sql`select ${columns} from shield_targets t where id = ${id}`);
}

/** Returns the target and locks it until the transaction ends. */
export function systemLockTarget(db: Queryable, id: string): Promise<TargetRow | undefined> {
  return maybeOne<TargetRow>(
    db,
    sql`select ${columns} from shield_targets t where t.id = ${id} and t.removed_at is null for no key update`,
  );
}

/** Returns all targets that the edge should have or still has to release. */
export function systemTargets(db: Queryable): Promise<TargetRow[]> {
  return db.query<TargetRow>(sql`select ${columns} from shield_targets t order by t.id`);
}

/** Returns targets whose rules on the edge are out of date, those to be removed first. */
export async function targetsBehind(db: Queryable, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from shield_targets where applied < generation order by removed_at nulls last, id limit ${limit}`);
  return rows.map((row) => row.id);
}

/** Begins a change to what the edge should have; returns the generation to write it under. */
export async function bumpTarget(db: Queryable, id: string): Promise<number> {
  const { generation } = await one<{ generation: number }>(
    db,
    sql`update shield_targets set generation = generation + 1 where id = ${id} returning generation`,
  );
  return generation;
}

export async function setTargetMode(db: Queryable, id: string, mode: TargetMode): Promise<void> {
  await execute(
    db,
    sql`update shield_targets set mode = ${mode}, generation = generation + 1 where id = ${id}`,
  );
}

/** Sets the traffic above which a target counts as attacked; null means that it is learnt. */
export async function setTargetThreshold(
  db: Queryable,
  id: string,
  { pps, bps }: { pps: bigint | null; bps: bigint | null },
): Promise<void> {
  await execute(
    db,
    sql`update shield_targets set threshold_pps = ${pps}, threshold_bps = ${bps} where id = ${id}`,
  );
}

/** Drops all traffic to a target until the given time; a time in the past ends the blackhole. */
export async function setBlackhole(db: Queryable, id: string, until: Date): Promise<void> {
  await execute(db, sql`update shield_targets set blackholed_until = ${until} where id = ${id}`);
}

/** Returns targets that should be blackholed, or whose blackhole is over and must be lifted. */
export function systemBlackholes(db: Queryable): Promise<{ id: string; until: Date }[]> {
  return db.query(sql`
    select id, blackholed_until as until from shield_targets where blackholed_until is not null order by id`);
}

/** Clears a blackhole that the edge has lifted, unless it was set again in the meantime. */
export async function forgetBlackhole(
  db: Queryable,
  { id, until }: { id: string; until: Date },
): Promise<void> {
  await execute(
    db,
    sql`update shield_targets set blackholed_until = null where id = ${id} and blackholed_until = ${until}`,
  );
}

/** Returns the addresses of all watched targets, with the thresholds that were set. */
export async function systemWatchedTargets(
  db: Queryable,
): Promise<{ id: string; ip: string; threshold: { pps?: number; bps?: number } }[]> {
  const rows = await db.query<{ id: string; ip: string; pps: bigint | null; bps: bigint | null }>(sql`
    select id, host(ip) as ip, threshold_pps as pps, threshold_bps as bps from shield_targets where mode <> 'off'`);
  return rows.map(({ id, ip, pps, bps }) => ({
    id,
    ip,
    threshold: { ...(pps !== null && { pps: Number(pps) }), ...(bps !== null && { bps: Number(bps) }) },
  }));
}

/** Marks targets for removal: they are no longer shown, and their rows are deleted once the edge has released them. */
export async function markTargetsRemoved(db: Queryable, which: { id: string } | { vmId: string }, at: Date) {
  const condition = 'id' in which ? sql`id = ${which.id}` : sql`vm_id = ${which.vmId}`;
  await execute(
    db,
    sql`
    update shield_targets set removed_at = ${at}, generation = generation + 1
    where ${condition} and removed_at is null`,
  );
  await execute(
    db,
    sql`
    update shield_attacks set status = 'ended', ended_at = ${at}
    where status = 'ongoing' and target_id in (select id from shield_targets where ${condition})`,
  );
}

/** Deletes a target that the edge has released; only its attacks remain. */
export async function deleteTargetRow(db: Queryable, id: string): Promise<void> {
  for (const statement of [
    sql`delete from shield_targets where id = ${id} and removed_at is not null`,
    sql`delete from edge_counters where target_id = ${id}`,
    sql`delete from edge_samples where target_id = ${id}`,
    sql`delete from edge_rollups where target_id = ${id}`,
  ]) {
    await execute(db, statement);
  }
}

/** Saves targets' usual traffic. Skips those being changed; the next save covers them. */
export async function saveBaselines(
  db: Queryable,
  rows: { id: string; pps: number; bps: number }[],
): Promise<void> {
  await execute(
    db,
    sql`
    with fresh as (
      select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as fresh (id text, pps float8, bps float8)
    ), free as (
      select id from shield_targets where id in (select id from fresh) order by id for no key update skip locked
    )
    update shield_targets set baseline_pps = fresh.pps, baseline_bps = fresh.bps
    from fresh join free on free.id = fresh.id where shield_targets.id = fresh.id`,
  );
}
