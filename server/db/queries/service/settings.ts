import { execute, maybeOne, type Queryable, sql } from '../../database.ts';

/** Returns the value stored under `name` for the whole installation; undefined if there is none. */
export async function readSetting<Value>(db: Queryable, name: string): Promise<Value | undefined> {
  const row = await maybeOne<{ value: Value }>(db, sql`select value from settings where name = ${name}`);
  return row?.value;
}

/**
 * Stores `value`, which must be representable as JSON, under `name` for the whole installation, replacing any earlier
 * value.
 */
export async function writeSetting(db: Queryable, name: string, value: object): Promise<void> {
  await execute(
    db,
    sql`
    insert into settings (name, value) values (${name}, ${JSON.stringify(value)}::text::jsonb)
    on conflict (name) do update set value = excluded.value`,
  );
}
