import type {
  Entry,
  InsideState,
  SimulatedGuest,
  SystemStore,
} from '../../../compute/simulator/guest-os/system/store.ts';
import { type Database, execute, maybeOne, sql } from '../../database.ts';

interface FileRow {
  path: string;
  kind: Entry['kind'];
  owner: string;
  mode: number;
  size: bigint;
  modified_at: Date;
  kept: boolean;
}

/** The insides of simulated guests, shared by all nodes on the database. A foreign key deletes them with the guest. */
export class SimulatorInsides implements SystemStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async hostKey(
    id: string,
    fresh: () => { hostKey: string; inside: InsideState },
  ): Promise<string | undefined> {
    const known = sql`select host_key from simulator_insides where guest_id = ${id}`;
    const row = await maybeOne<{ host_key: string }>(this.#db, known);
    if (row) return row.host_key;
    const { hostKey, inside } = fresh();
    // Inserts from a select, so that a guest that is gone by now is not an error.
    await this.#db.query(sql`
      insert into simulator_insides (guest_id, host_key, state)
      select id, ${hostKey}, ${JSON.stringify(inside)}::text::jsonb from simulator_guests where id = ${id}
      on conflict do nothing`);
    return (await maybeOne<{ host_key: string }>(this.#db, known))?.host_key;
  }

  read(id: string): Promise<{ guest: SimulatedGuest; inside: InsideState | null } | undefined> {
    return maybeOne(
      this.#db,
      sql`select g.state as guest, i.state as inside
        from simulator_guests g left join simulator_insides i on i.guest_id = g.id where g.id = ${id}`,
    );
  }

  change(id: string, work: (inside: InsideState) => void): Promise<InsideState | undefined> {
    return this.#db.transaction(async (tx) => {
      const row = await maybeOne<{ state: InsideState }>(
        tx,
        sql`select state from simulator_insides where guest_id = ${id} for no key update`,
      );
      if (!row) return undefined;
      work(row.state);
      await execute(
        tx,
        sql`
        update simulator_insides set state = ${JSON.stringify(row.state)}::text::jsonb where guest_id = ${id}`,
      );
      return row.state;
    });
  }

  async readEntries(id: string): Promise<Map<string, Entry>> {
    const rows = await this.#db.query<FileRow>(sql`
      select path, kind, owner, mode, size, modified_at, content is not null as kept
      from simulator_files where guest_id = ${id}`);
    return new Map(
      rows.map(({ path, size, modified_at, ...rest }) => [
        path,
        { ...rest, size: Number(size), modifiedAt: modified_at.getTime() },
      ]),
    );
  }

  async readContent(id: string, path: string): Promise<Buffer | undefined> {
    const row = await maybeOne<{ content: Uint8Array | null }>(
      this.#db,
      sql`select content from simulator_files where guest_id = ${id} and path = ${path}`,
    );
    return row?.content ? Buffer.from(row.content) : undefined;
  }

  async writeEntry(id: string, path: string, entry: Entry, content?: Buffer | null): Promise<void> {
    const { kind, owner, mode, size, modifiedAt } = entry;
    const at = new Date(modifiedAt);
    const keep = content === undefined;
    await this.#db.query(sql`
      insert into simulator_files (guest_id, path, kind, owner, mode, size, content, modified_at)
      select id, ${path}, ${kind}, ${owner}, ${mode}, ${size}, ${content ?? null}, ${at}
      from simulator_guests where id = ${id}
      on conflict (guest_id, path) do update set kind = excluded.kind, owner = excluded.owner, mode = excluded.mode,
        size = excluded.size, modified_at = excluded.modified_at,
        content = case when ${keep}::boolean then simulator_files.content else excluded.content end`);
  }

  async deleteEntries(id: string, paths: string[]): Promise<void> {
    await this.#db.query(
      sql`delete from simulator_files where guest_id = ${id} and path = any(${paths}::text[])`,
    );
  }

  async moveEntry(id: string, from: string, to: string): Promise<void> {
    await this.deleteEntries(id, [to]);
    await this.#db.query(
      sql`update simulator_files set path = ${to} where guest_id = ${id} and path = ${from}`,
    );
  }

  async storedBytes(id: string, path: string): Promise<{ bytes: number; shadowed: boolean }> {
    const row = await maybeOne<{ bytes: bigint; shadowed: boolean | null }>(
      this.#db,
      sql`select coalesce(sum(size), 0)::bigint as bytes, bool_or(path = ${path}) as shadowed
        from simulator_files where guest_id = ${id}`,
    );
    return { bytes: Number(row?.bytes ?? 0), shadowed: row?.shadowed ?? false };
  }
}
