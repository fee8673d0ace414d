import type { Queryable } from '../../../db/database.ts';
import { type AccountOverviewRow, findAccount } from '../../../db/queries/access/accounts.ts';
import { notFound } from '../../../platform/errors.ts';

/** Returns the account, or throws `not_found`. */
export async function requireAccount(db: Queryable, id: string): Promise<AccountOverviewRow> {
  const account = await findAccount(db, id);
  if (!account) throw notFound();
  return account;
}
