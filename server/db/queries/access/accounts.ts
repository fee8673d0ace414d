import { currencyExponent } from '../../../../shared/currencies.ts';
import { execute, maybeOne, one, type Queryable, sql } from '../../database.ts';
import { containing } from '../containing.ts';
import { type Page, pageOf } from '../page.ts';

/** A suspended account is read-only; a closed one can do nothing and never reopens. */
export type AccountStatus = 'active' | 'suspended' | 'closed';

export interface AccountRow {
  id: string;
  name: string;
  status: AccountStatus;
  currency: string;
  /** Quotas that override the catalog's, by their names there. */
  limits: Record<string, number>;
  /** True if its VMs may connect to port 25 of other hosts. */
  smtp_open: boolean;
  created_at: Date;
}

export interface AccountOverviewRow extends AccountRow {
  available_minor: bigint;
  promo_minor: bigint;
  held_minor: bigint;
  /** Owed for payments that their provider charged back. */
  claimed_minor: bigint;
  vm_count: bigint;
}

const overview = sql`
  select a.id, a.name, a.status, a.currency, a.limits, a.smtp_open, a.created_at, w.available_minor, w.promo_minor,
    w.held_minor, w.claimed_minor,
    (select count(*) from vms where vms.account_id = a.id and vms.deleted_at is null) as vm_count
  from accounts a join wallets w on w.account_id = a.id`;

/**
 * Inserts an account with its empty wallet, so that neither exists without the other. The first account also creates
 * the books, which record how many decimals their amounts have.
 */
export async function insertAccount(
  db: Queryable,
  account: Omit<AccountRow, 'status' | 'smtp_open'>,
): Promise<void> {
  await execute(
    db,
    sql`
    with account as (
      insert into accounts (id, name, currency, limits, created_at)
      values (${account.id}, ${account.name}, ${account.currency}, ${JSON.stringify(account.limits)}::text::jsonb,
        ${account.created_at})
      returning id, currency, created_at
    ), made as (
      insert into books (currency, exponent, recorded_at, recorded_by)
      select currency, ${currencyExponent(account.currency)}, created_at, 'service' from account
      where not exists (select from wallets)
      on conflict (currency) do nothing
    )
    insert into wallets (account_id, currency, updated_at) select id, currency, created_at from account`,
  );
}

export function findAccount(db: Queryable, id: string): Promise<AccountOverviewRow | undefined> {
  return maybeOne<AccountOverviewRow>(db, sql`${overview} where a.id = ${id}`);
}

/** Returns the quotas that an operator granted an account; undefined if the account does not exist. */
export async function findLimits(db: Queryable, id: string): Promise<AccountRow['limits'] | undefined> {
  const row = await maybeOne<Pick<AccountRow, 'limits'>>(
    db,
    sql`select limits from accounts where id = ${id}`,
  );
  return row?.limits;
}

/**
 * Lists all accounts, newest first. With `search`, only those with this id, or whose name or a member's address
 * contains it.
 */
export function listAccounts(db: Queryable, page: Page, search?: string): Promise<AccountOverviewRow[]> {
  const pattern = containing(search ?? '');
  const found =
    search === undefined
      ? sql`true`
      : sql`(a.id = ${search} or a.name ilike ${pattern} or exists (
          select from memberships m join people on people.id = m.person_id
          where m.account_id = a.id and people.email ilike ${pattern}))`;
  return db.query<AccountOverviewRow>(sql`${overview} where ${found} ${pageOf(sql`a.id`, page)}`);
}

export async function hasAccounts(db: Queryable): Promise<boolean> {
  return (await one<{ found: boolean }>(db, sql`select exists (select from accounts) as found`)).found;
}

/** Returns an account's status and locks it until the transaction ends; undefined if the account does not exist. */
export async function lockAccount(db: Queryable, id: string): Promise<AccountStatus | undefined> {
  const row = await maybeOne<{ status: AccountStatus }>(
    db,
    sql`select status from accounts where id = ${id} for no key update`,
  );
  return row?.status;
}

export async function setAccountStatus(db: Queryable, id: string, status: AccountStatus): Promise<void> {
  await execute(db, sql`update accounts set status = ${status} where id = ${id}`);
}

/** Sets whether the VMs of an account may connect to port 25 of other hosts. */
export async function setMayMail(db: Queryable, id: string, open: boolean): Promise<void> {
  await execute(db, sql`update accounts set smtp_open = ${open} where id = ${id}`);
}

/** Replaces the quotas that override the catalog's. */
export async function setLimits(db: Queryable, id: string, limits: AccountRow['limits']): Promise<void> {
  await execute(
    db,
    sql`update accounts set limits = ${JSON.stringify(limits)}::text::jsonb where id = ${id}`,
  );
}
