import { execute, maybeOne, type Queryable, sql } from '../database.ts';

/** Returns what was kept under `name` for the whole installation; undefined if nothing was. */
export async function readSetting<Value>(db: Queryable, name: string): Promise<Value | undefined> {
  const row = await maybeOne<{ value: Value }>(db, sql`select value from settings where name = ${name}`);
  return row?.value;
}

/** Keeps `value`, which JSON can hold, under `name` for the whole installation, in place of what was kept there. */
export async function writeSetting(db: Queryable, name: string, value: object): Promise<void> {
  await execute(
    db,
    sql`
    insert into settings (name, value) values (${name}, ${JSON.stringify(value)}::text::jsonb)
    on conflict (name) do update set value = excluded.value`,
  );
}
