import { type Database, raw, sql } from '../../db/database.ts';

/**
 * The embedded engine has no autovacuum: without this, the space of updated and deleted rows would never be reclaimed,
 * and the planner would have no statistics. Vacuums one table at a time, so that requests can run in between. The
 * engine has no checkpointer either: its log would keep everything written since the start and fill the disk.
 */
export async function vacuum(db: Database): Promise<void> {
  if (db.engine !== 'pglite') return;
  const tables = await db.query<{ name: string }>(sql`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema') order by 1`);
  for (const { name } of tables) await db.query(sql`vacuum analyze ${raw(name)}`);
  await db.query(sql`checkpoint`);
}
