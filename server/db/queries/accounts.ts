import { maybeOne, one, type Queryable, sql } from '../database.ts';
import { type Page, pageOf } from './page.ts';

export interface AccountRow {
  id: string;
  name: string;
  currency: string;
  /** Quotas that differ from the catalog's, by their names there. */
  limits: Record<string, number>;
  created_at: Date;
}

/** An account with its wallet and the number of VMs that are not deleted. */
export interface AccountOverviewRow extends AccountRow {
  available_minor: bigint;
  held_minor: bigint;
  vm_count: bigint;
}

const overview = sql`
  select a.id, a.name, a.currency, a.limits, a.created_at, w.available_minor, w.held_minor,
    (select count(*) from vms where vms.account_id = a.id and vms.deleted_at is null) as vm_count
  from accounts a join wallets w on w.account_id = a.id`;

/** Writes an account and its empty wallet: neither is ever without the other. */
export async function insertAccount(db: Queryable, account: AccountRow): Promise<void> {
  await db.query(sql`
    with account as (
      insert into accounts (id, name, currency, limits, created_at)
      values (${account.id}, ${account.name}, ${account.currency}, ${JSON.stringify(account.limits)}::text::jsonb,
        ${account.created_at})
      returning id, currency, created_at
    )
    insert into wallets (account_id, currency, updated_at) select id, currency, created_at from account`);
}

export function findAccount(db: Queryable, id: string): Promise<AccountOverviewRow | undefined> {
  return maybeOne<AccountOverviewRow>(db, sql`${overview} where a.id = ${id}`);
}

/** The quotas that an operator granted an account; undefined where there is no such account. */
export async function findLimits(db: Queryable, id: string): Promise<AccountRow['limits'] | undefined> {
  const row = await maybeOne<Pick<AccountRow, 'limits'>>(
    db,
    sql`select limits from accounts where id = ${id}`,
  );
  return row?.limits;
}

export function listAccounts(db: Queryable, page: Page): Promise<AccountOverviewRow[]> {
  return db.query<AccountOverviewRow>(sql`${overview} where true ${pageOf(sql`a.id`, page)}`);
}

export async function hasAccounts(db: Queryable): Promise<boolean> {
  return (await one<{ found: boolean }>(db, sql`select exists (select from accounts) as found`)).found;
}
