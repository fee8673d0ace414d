import { execute, one, type Queryable, sql } from '../../database.ts';

/**
 * Returns when the last grace of an account began; null if it has had none. The caller must hold the lock on the
 * wallet.
 */
export async function lastGraceAt(db: Queryable, accountId: string): Promise<Date | null> {
  const { grace_began_at } = await one<{ grace_began_at: Date | null }>(
    db,
    sql`select grace_began_at from wallets where account_id = ${accountId}`,
  );
  return grace_began_at;
}

/** Records that an account's grace begins. The caller must hold the lock on the wallet. */
export function noteGrace(db: Queryable, accountId: string, at: Date): Promise<void> {
  return execute(db, sql`update wallets set grace_began_at = ${at} where account_id = ${accountId}`);
}
