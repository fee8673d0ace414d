import { execute, maybeOne, one, type Queryable, sql } from '../../database.ts';
import { type Page, pageOf } from '../page.ts';

export interface TenantRow {
  id: string;
  account_id: string;
  name: string;
  created_at: Date;
}

export async function insertTenant(db: Queryable, row: TenantRow): Promise<void> {
  await execute(
    db,
    sql`
    insert into shield_tenants (id, account_id, name, created_at)
    values (${row.id}, ${row.account_id}, ${row.name}, ${row.created_at})`,
  );
}

/** Returns the account's tenant, or undefined. */
export function findTenant(db: Queryable, accountId: string, id: string): Promise<TenantRow | undefined> {
  return maybeOne<TenantRow>(
    db,
    sql`select * from shield_tenants where id = ${id} and account_id = ${accountId}`,
  );
}

/** Returns any account's tenant, for the operator. */
export function systemFindTenant(db: Queryable, id: string): Promise<TenantRow | undefined> {
  return maybeOne<TenantRow>(db, sql`select * from shield_tenants where id = ${id}`);
}

/** Returns the tenants of all accounts, for the operator. */
export function systemListTenants(db: Queryable, page: Page): Promise<TenantRow[]> {
  return db.query<TenantRow>(sql`select * from shield_tenants where true ${pageOf(sql`id`, page)}`);
}

/** Returns the ids of the account's tenants, oldest first. */
export async function tenantIdsOf(db: Queryable, accountId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    sql`select id from shield_tenants where account_id = ${accountId} order by id`,
  );
  return rows.map((row) => row.id);
}

export interface TenantFigures {
  targets_total: number;
  targets_under_attack: number;
  active_attacks: number;
  attacks_24h: number;
  attacks_30d: number;
  peak_bps: bigint;
  peak_pps: bigint;
  rules_total: number;
}

export function tenantFigures(
  db: Queryable,
  tenantId: string,
  { now, dayAgo, monthAgo }: { now: Date; dayAgo: Date; monthAgo: Date },
): Promise<TenantFigures> {
  return one<TenantFigures>(
    db,
    sql`
    select targets.*, attacks.*, (
        select count(*)::int from shield_rules join shield_targets t on t.id = target_id
        where t.tenant_id = ${tenantId} and t.removed_at is null and (expires_at is null or expires_at > ${now})
      ) as rules_total
    from (select count(*)::int as targets_total from shield_targets
      where tenant_id = ${tenantId} and removed_at is null) as targets,
    (select count(distinct target_id) filter (where status = 'ongoing')::int as targets_under_attack,
      count(*) filter (where status = 'ongoing')::int as active_attacks,
      count(*) filter (where started_at >= ${dayAgo})::int as attacks_24h,
      count(*) filter (where started_at >= ${monthAgo})::int as attacks_30d,
      coalesce(max(peak_bps) filter (where started_at >= ${monthAgo}), 0)::bigint as peak_bps,
      coalesce(max(peak_pps) filter (where started_at >= ${monthAgo}), 0)::bigint as peak_pps
      from shield_attacks where tenant_id = ${tenantId} and (status = 'ongoing' or started_at >= ${monthAgo})) as attacks`,
  );
}
