import { execute, type Queryable, sql } from '../database.ts';

/** VMs, by the engine that has their guests. */
export interface EngineVms {
  engine: string;
  vms: number;
}

/** VMs whose guests another engine than `engine` has. */
export function vmsOfOtherEngines(db: Queryable, engine: string): Promise<EngineVms[]> {
  return db.query<EngineVms>(sql`
    select engine, count(*)::int as vms from vms
    where deleted_at is null and engine <> ${engine} group by engine order by engine`);
}

/** Records `engine` for VMs that no engine has made yet. */
export async function takeUnmadeVms(db: Queryable, engine: string): Promise<void> {
  await execute(db, sql`update vms set engine = ${engine} where deleted_at is null and engine is null`);
}

/** VMs that were made before the place of their guests was recorded. */
export async function vmsWithoutPlace(db: Queryable, name: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    sql`select id from vms where deleted_at is null and engine = ${name}`,
  );
  return rows.map(({ id }) => id);
}

/** Records where the guests of {@link vmsWithoutPlace} are. */
export async function setPlace(db: Queryable, name: string, engine: string): Promise<void> {
  await execute(db, sql`update vms set engine = ${engine} where deleted_at is null and engine = ${name}`);
}
