import { execute, maybeOne, type Queryable, sql } from '../../database.ts';
import type { VmRow } from '../vms/vms.ts';
import { isBilled } from './billed-vms.ts';

/** Returns up to `limit` accounts after `after` that are in debt, or were warned because they were. */
export async function indebtedAccounts(db: Queryable, after: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ account_id: string }>(sql`
    select account_id from wallets where (claimed_minor > 0 or debt_warned_at is not null) and account_id > ${after}
    order by account_id limit ${limit}`);
  return rows.map(({ account_id }) => account_id);
}

/** Returns when an account's debt began to count towards a suspension; null if it does not count. */
export async function debtWarnedAt(db: Queryable, accountId: string): Promise<Date | null> {
  const row = await maybeOne<{ debt_warned_at: Date | null }>(
    db,
    sql`select debt_warned_at from wallets where account_id = ${accountId}`,
  );
  return row?.debt_warned_at ?? null;
}

/** The caller must hold the lock on the wallet. */
export function setDebtWarnedAt(db: Queryable, accountId: string, at: Date | null): Promise<void> {
  return execute(db, sql`update wallets set debt_warned_at = ${at} where account_id = ${accountId}`);
}

/** Returns an account's VMs that are neither suspended nor about to be deleted. */
export function vmsThatRun(db: Queryable, accountId: string): Promise<VmRow[]> {
  return db.query<VmRow>(sql`
    select * from vms where account_id = ${accountId} and ${isBilled} and status <> 'suspended' order by id`);
}

/** Returns up to `limit` VMs after `after` whose accounts' debt has counted since `since` or earlier. */
export async function vmsToSuspend(
  db: Queryable,
  { since, now }: { since: Date; now: Date },
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from vms where ${isBilled} and status <> 'suspended' and active_job_id is null
      and (dunning_next_at is null or dunning_next_at <= ${now}) and id > ${after}
      and account_id in (select account_id from wallets where debt_warned_at <= ${since}) order by id limit ${limit}`);
  return rows.map(({ id }) => id);
}

/** Returns up to `limit` VMs after `after` that are suspended for a debt that no longer counts. */
export async function vmsToResume(db: Queryable, after: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from vms where ${isBilled} and debt_suspended_at is not null and active_job_id is null and id > ${after}
      and account_id in (select account_id from wallets where debt_warned_at is null) order by id limit ${limit}`);
  return rows.map(({ id }) => id);
}
