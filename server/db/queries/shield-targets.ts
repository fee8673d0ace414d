import { execute, maybeOne, one, type Queryable, type Sql, sql } from '../database.ts';
import { type Page, pageOf } from './page.ts';

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
  /** Counts changes of what the edge is to have; `applied` is the latest that it has. */
  generation: number;
  applied: number;
  /** Its usual traffic, as of the last time it was saved; null before it was ever known. */
  baseline_pps: number | null;
  baseline_bps: number | null;
  /** From how much on what comes in is an attack; null where that is learnt. */
  threshold_pps: bigint | null;
  threshold_bps: bigint | null;
  /** Until when everything to it is dropped; null where nothing of the kind is wanted. */
  blackholed_until: Date | null;
  created_at: Date;
  /** Set while the edge still has to release it. */
  removed_at: Date | null;
}

/** A target with what its list shows of its rules and attacks. */
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

/** Writes a target; false where its address is one already, if only until the edge has released it. */
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

/** Targets that an edge has, or has still to release. */
export async function countProtected(db: Queryable): Promise<number> {
  const statement = sql`select count(*)::int as count from shield_targets where mode <> 'off'`;
  return (await one<{ count: number }>(db, statement)).count;
}

/** The tenant's target, or undefined. The caller has found the tenant to be the account's. */
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

/** The same, locked until the transaction ends, to change its rules. */
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

/** Targets of all tenants, newest first: for the operator. */
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

/** Ids of a tenant's targets, oldest first. */
export async function targetIdsOf(db: Queryable, tenantId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from shield_targets where tenant_id = ${tenantId} and removed_at is null order by id`);
  return rows.map((row) => row.id);
}

/** Places in the shield of a VM's addresses, by address. */
export async function shieldOfVm(
  db: Queryable,
  vmId: string,
): Promise<Map<string, { tenant_id: string; target_id: string }>> {
  const rows = await db.query<{ ip: string; tenant_id: string; target_id: string }>(sql`
    select host(ip) as ip, tenant_id, id as target_id from shield_targets
    where vm_id = ${vmId} and removed_at is null`);
  return new Map(rows.map(({ ip, ...place }) => [ip, place]));
}

/** Anybody's target: for the operator, the detector and the reconciler. */
export function systemFindTarget(db: Queryable, id: string): Promise<TargetRow | undefined> {
  return maybeOne<TargetRow>(db, sql`select ${columns} from shield_targets t where id = ${id}`);
}

/** The same, locked until the transaction ends. */
export function systemLockTarget(db: Queryable, id: string): Promise<TargetRow | undefined> {
  return maybeOne<TargetRow>(
    db,
    sql`select ${columns} from shield_targets t where t.id = ${id} and t.removed_at is null for no key update`,
  );
}

/** Everything that the edge is to have, or still has to release. */
export function systemTargets(db: Queryable): Promise<TargetRow[]> {
  return db.query<TargetRow>(sql`select ${columns} from shield_targets t order by t.id`);
}

/** Targets whose rules on the edge lag behind, those that are to go first. */
export async function targetsBehind(db: Queryable, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from shield_targets where applied < generation order by removed_at nulls last, id limit ${limit}`);
  return rows.map((row) => row.id);
}

/** Begins a change of what the edge is to have: the generation to write it under. */
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

/** Says from how much on what comes in is an attack; null is learnt. */
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

/** Drops everything to a target until then; an instant that is over ends it. */
export async function setBlackhole(db: Queryable, id: string, until: Date): Promise<void> {
  await execute(db, sql`update shield_targets set blackholed_until = ${until} where id = ${id}`);
}

/** Targets that are to be blackholed, or whose blackhole is over and has to be ended. */
export function systemBlackholes(db: Queryable): Promise<{ id: string; until: Date }[]> {
  return db.query(sql`
    select id, blackholed_until as until from shield_targets where blackholed_until is not null order by id`);
}

/** The edge has ended it; one that was set again meanwhile stays. */
export async function forgetBlackhole(
  db: Queryable,
  { id, until }: { id: string; until: Date },
): Promise<void> {
  await execute(
    db,
    sql`update shield_targets set blackholed_until = null where id = ${id} and blackholed_until = ${until}`,
  );
}

/** Where every target is that is watched, and the thresholds that were set. */
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

/** Marks targets as going: they are no longer shown, and their rows go once the edge has released them. */
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

/** The edge has released it: nothing is left but its attacks. */
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

/** Saves what is usual of targets, but not of one that is being changed: the next save has it. */
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
