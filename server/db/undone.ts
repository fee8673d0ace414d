import { execute, sql, type Transaction } from './database.ts';

/**
 * Runs statements and undoes them unless `isKept`, so that both cases take the same work: the reply's time must not tell
 * what is in the database. `work` must do nothing but run statements.
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
