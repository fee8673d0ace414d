import { one, type Queryable, sql } from '../../server/db/database.ts';

/** How often the server of this database had to end a transaction that waited for one that waited for it. */
export async function deadlocks(db: Queryable): Promise<number> {
  const row = await one<{ deadlocks: bigint }>(
    db,
    sql`select deadlocks from pg_stat_database where datname = current_database()`,
  );
  return Number(row.deadlocks);
}
