import type { Transaction } from '../../db/database.ts';
import { type AccountRow, insertAccount } from '../../db/queries/access/accounts.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import type { Limits } from '../catalog/catalog-schema.ts';

export interface NewAccount {
  name: string;
  /** ISO 4217. An installation sells in one currency, the catalog's. */
  currency: string;
  /** Quotas that differ from the catalog's. */
  limits: Partial<Limits>;
}

/** Creates an account with an empty wallet. */
export async function createAccount(tx: Transaction, clock: Clock, account: NewAccount): Promise<AccountRow> {
  const row = { id: newId('acc', clock), ...account, created_at: clock.now() };
  await insertAccount(tx, row);
  return { ...row, status: 'active', smtp_open: false };
}
