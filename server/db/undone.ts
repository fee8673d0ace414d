import { execute, sql, type Transaction } from './database.ts';

/**
 * Runs statements and undoes them unless `isKept`. Both cases do the same work, so that the response time does not
 * reveal what is in the database. `work` must do nothing but run statements.
 */
export async function doneOrUndone(
  tx: Transaction,
  isKept: boolean,
  work: () => Promise<void>,
): Promise<void> {
  await execute(tx, sql`savepoint undone`);
  await work();
  await execute(tx, isKept ? sql`release savepoint undone` : sql`rollback to savepoint undone`);
}
