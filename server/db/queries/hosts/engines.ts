import { execute, type Queryable, sql } from '../../database.ts';

export interface EngineVms {
  engine: string;
  vms: number;
}

/** Counts VMs whose guests are on an engine other than `engine`, by engine. */
export function vmsOfOtherEngines(db: Queryable, engine: string): Promise<EngineVms[]> {
  return db.query<EngineVms>(sql`
    select engine, count(*)::int as vms from vms
    where deleted_at is null and engine <> ${engine} group by engine order by engine`);
}

/** Records `engine` for VMs that no engine has created yet. */
export async function takeUnmadeVms(db: Queryable, engine: string): Promise<void> {
  await execute(db, sql`update vms set engine = ${engine} where deleted_at is null and engine is null`);
}

/** Returns VMs created before the location of their guests was recorded. */
export async function vmsWithoutPlace(db: Queryable, name: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    sql`select id from vms where deleted_at is null and engine = ${name}`,
  );
  return rows.map(({ id }) => id);
}

/** Records the engine, with its location, of {@link vmsWithoutPlace}. */
export async function setPlace(db: Queryable, name: string, engine: string): Promise<void> {
  await execute(db, sql`update vms set engine = ${engine} where deleted_at is null and engine = ${name}`);
}
