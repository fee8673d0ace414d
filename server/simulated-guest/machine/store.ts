import type { Guest } from '../../compute/simulator/guest.ts';
import { type Database, maybeOne, type Queryable, sql } from '../../db/database.ts';
import type { Entry } from './entry.ts';
import { type InsideState, NEW_INSIDE } from './state.ts';

/** The inside of guests as stored; it goes with the guest, by the foreign key. */

/** The guest's private host key, OpenSSH format: `fresh` is kept when it has none yet; undefined without a guest. */
export async function hostKeyOf(db: Queryable, id: string, fresh: () => string): Promise<string | undefined> {
  const known = sql`select host_key from simulator_insides where guest_id = ${id}`;
  const row = await maybeOne<{ host_key: string }>(db, known);
  if (row) return row.host_key;
  // From a select, so that a guest which has gone meanwhile is no error. Of two nodes, the first one's key stays.
  await db.query(sql`
    insert into simulator_insides (guest_id, host_key, state)
    select id, ${fresh()}, ${JSON.stringify(NEW_INSIDE)}::text::jsonb from simulator_guests where id = ${id}
    on conflict do nothing`);
  return (await maybeOne<{ host_key: string }>(db, known))?.host_key;
}

/** The guest and its inside at this moment; undefined when there is none. */
export function readInside(
  db: Queryable,
  id: string,
): Promise<{ guest: Guest; inside: InsideState | null } | undefined> {
  return maybeOne(
    db,
    sql`select g.state as guest, i.state as inside
      from simulator_guests g left join simulator_insides i on i.guest_id = g.id where g.id = ${id}`,
  );
}

/** Lets `work` alter the inside in place, exclusively, and returns it as stored. */
export function changeInside(
  db: Database,
  id: string,
  work: (inside: InsideState) => void,
): Promise<InsideState | undefined> {
  return db.transaction(async (tx) => {
    const row = await maybeOne<{ state: InsideState }>(
      tx,
      sql`select state from simulator_insides where guest_id = ${id} for no key update`,
    );
    if (!row) return undefined;
    work(row.state);
    await tx.query(sql`
      update simulator_insides set state = ${JSON.stringify(row.state)}::text::jsonb where guest_id = ${id}`);
    return row.state;
  });
}

interface FileRow {
  path: string;
  kind: Entry['kind'];
  owner: string;
  mode: number;
  size: bigint;
  modified_at: Date;
  kept: boolean;
}

/** What differs from the image, without contents. */
export async function readFiles(db: Queryable, id: string): Promise<Map<string, Entry>> {
  const rows = await db.query<FileRow>(sql`
    select path, kind, owner, mode, size, modified_at, content is not null as kept
    from simulator_files where guest_id = ${id}`);
  return new Map(
    rows.map(({ path, size, modified_at, ...rest }) => [
      path,
      { ...rest, size: Number(size), modifiedAt: modified_at.getTime() },
    ]),
  );
}

/** The kept content of a file; undefined when only its size is known. */
export async function readContent(db: Queryable, id: string, path: string): Promise<Buffer | undefined> {
  const row = await maybeOne<{ content: Uint8Array | null }>(
    db,
    sql`select content from simulator_files where guest_id = ${id} and path = ${path}`,
  );
  return row?.content ? Buffer.from(row.content) : undefined;
}

/** Writes one entry; `content` null keeps the size alone, undefined leaves the content as it is. */
export async function writeEntry(
  db: Queryable,
  id: string,
  path: string,
  entry: Entry,
  content?: Buffer | null,
): Promise<void> {
  const { kind, owner, mode, size, modifiedAt } = entry;
  const at = new Date(modifiedAt);
  const keep = content === undefined;
  await db.query(sql`
    insert into simulator_files (guest_id, path, kind, owner, mode, size, content, modified_at)
    select id, ${path}, ${kind}, ${owner}, ${mode}, ${size}, ${content ?? null}, ${at}
    from simulator_guests where id = ${id}
    on conflict (guest_id, path) do update set kind = excluded.kind, owner = excluded.owner, mode = excluded.mode,
      size = excluded.size, modified_at = excluded.modified_at,
      content = case when ${keep}::boolean then simulator_files.content else excluded.content end`);
}

/** Forgets entries of these paths. */
export async function deleteEntries(db: Queryable, id: string, paths: string[]): Promise<void> {
  await db.query(sql`delete from simulator_files where guest_id = ${id} and path = any(${paths}::text[])`);
}

/** Gives an entry another path, in place of what was there. */
export async function moveEntry(db: Queryable, id: string, from: string, to: string): Promise<void> {
  await deleteEntries(db, id, [to]);
  await db.query(sql`update simulator_files set path = ${to} where guest_id = ${id} and path = ${from}`);
}

/** Bytes of all files that differ from the image, and whether `path` is among them. */
export async function storedBytes(
  db: Queryable,
  id: string,
  path: string,
): Promise<{ bytes: number; shadowed: boolean }> {
  const row = await maybeOne<{ bytes: bigint; shadowed: boolean | null }>(
    db,
    sql`select coalesce(sum(size), 0)::bigint as bytes, bool_or(path = ${path}) as shadowed
      from simulator_files where guest_id = ${id}`,
  );
  return { bytes: Number(row?.bytes ?? 0), shadowed: row?.shadowed ?? false };
}
