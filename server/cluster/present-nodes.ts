import { type Database, sql } from '../db/database.ts';

/**
 * How long a node must have been missing before its jobs are taken: one that has only lost its connection stops its
 * work well before, and mostly is back by then (see `membership.ts`).
 */
export const ABSENCE_MS = 10_000;

/** Numbers of held advisory locks; those of living nodes are among them. */
export async function presentNodes(db: Database): Promise<Set<bigint>> {
  const rows = await db.query<{ id: bigint }>(sql`
    select (classid::bigint << 32) | objid::bigint as id from pg_locks
    where locktype = 'advisory' and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())`);
  return new Set(rows.map((row) => row.id));
}
