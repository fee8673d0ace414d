import { execute, one, type Queryable, sql } from '../database.ts';

/** Returns when the last grace of an account began; null where it has had none. The caller holds the wallet. */
export async function lastGraceAt(db: Queryable, accountId: string): Promise<Date | null> {
  const { grace_began_at } = await one<{ grace_began_at: Date | null }>(
    db,
    sql`select grace_began_at from wallets where account_id = ${accountId}`,
  );
  return grace_began_at;
}

/** Notes that the grace of an account begins. The caller holds the wallet. */
export function noteGrace(db: Queryable, accountId: string, at: Date): Promise<void> {
  return execute(db, sql`update wallets set grace_began_at = ${at} where account_id = ${accountId}`);
}
