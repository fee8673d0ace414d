import { one, type Queryable, sql } from '../../server/db/database.ts';

export async function deadlocks(db: Queryable): Promise<number> {
  const row = await one<{ deadlocks: bigint }>(
    db,
    sql`select deadlocks from pg_stat_database where datname = current_database()`,
  );
  return Number(row.deadlocks);
}
