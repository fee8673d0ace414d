import type { Transaction } from '../../../db/database.ts';
import type { OperatorServices } from '../../../http/services.ts';
import { presentAccount } from './account-shape.ts';
import { requireAccount } from './require-account.ts';

/** Changes an account's status and ends all open connections of the keys that `work` returns. */
export async function changeStatus(
  { db, catalog, logger, signals }: OperatorServices,
  accountId: string,
  what: string,
  work: (tx: Transaction) => Promise<{ rightIds: string[] }>,
) {
  const account = await db.transaction(async (tx) => {
    await requireAccount(tx, accountId);
    const { rightIds } = await work(tx);
    for (const id of rightIds) await signals.accessEnded(tx, id);
    return requireAccount(tx, accountId);
  });
  logger.info({ account_id: accountId }, what);
  return presentAccount(account, catalog);
}
