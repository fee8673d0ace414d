import { one, type Queryable, sql } from '../../server/db/database.ts';

/** Returns how many deadlocks the server has resolved in this database. */
export async function deadlocks(db: Queryable): Promise<number> {
  const row = await one<{ deadlocks: bigint }>(
    db,
    sql`select deadlocks from pg_stat_database where datname = current_database()`,
  );
  return Number(row.deadlocks);
}
