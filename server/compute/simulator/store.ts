import { type Database, maybeOne, one, type Queryable, sql } from '../../db/database.ts';
import type { GuestSize } from '../driver.ts';
import type { Guest } from './guest.ts';
import type { InsideState } from './machine/state.ts';

/** The simulated engine's memory: one row a guest, shared by every process on the database. */

/** The guest as stored, or undefined; for whoever simulates what runs inside it, such as a console. */
export async function readGuest(db: Queryable, id: string): Promise<Guest | undefined> {
  const row = await maybeOne<{ state: Guest }>(db, sql`select state from simulator_guests where id = ${id}`);
  return row?.state;
}

/** Stores a new guest; one that exists stays as it is. */
export async function insertGuest(db: Queryable, id: string, guest: Guest): Promise<void> {
  await db.query(sql`
    insert into simulator_guests (id, state) values (${id}, ${JSON.stringify(guest)}::jsonb)
    on conflict (id) do nothing`);
}

/** Forgets the guest; an absent one is a success. */
export async function deleteGuest(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from simulator_guests where id = ${id}`);
}

/**
 * Lets `work` alter the guest in place, stores it, and returns what `work` returned; undefined when there is
 * no such guest. Nobody else alters it meanwhile; a throw leaves it as it was.
 */
export function changeGuest<T extends object>(
  db: Database,
  id: string,
  work: (guest: Guest) => T,
): Promise<T | undefined> {
  return db.transaction(async (tx) => {
    const row = await maybeOne<{ state: Guest }>(
      tx,
      sql`select state from simulator_guests where id = ${id} for update`,
    );
    if (!row) return undefined;
    const result = work(row.state);
    await tx.query(
      sql`update simulator_guests set state = ${JSON.stringify(row.state)}::jsonb where id = ${id}`,
    );
    return result;
  });
}

/** Ids of all guests, in order. */
export async function guestIds(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`select id from simulator_guests order by id`);
  return rows.map((row) => row.id);
}

/** How many guests there are. */
export async function countGuests(db: Queryable): Promise<number> {
  const { count } = await one<{ count: bigint }>(db, sql`select count(*) from simulator_guests`);
  return Number(count);
}

export interface MeteredGuest extends Pick<Guest, 'hostname' | 'run' | 'before' | 'vcpu' | 'ramMb'> {
  id: string;
  /** What its inside did to its units, if anybody was there. */
  units: InsideState['units'] | null;
}

/** The parts of the given guests that readings are computed from. */
export function meteredGuests(db: Queryable, ids: string[]): Promise<MeteredGuest[]> {
  return db.query(sql`
    select g.id, part.*, i.state->'units' as units
    from simulator_guests g left join simulator_insides i on i.guest_id = g.id,
      jsonb_to_record(g.state) as part(hostname text, run jsonb, before jsonb, vcpu int, "ramMb" int)
    where g.id = any(${ids}::text[])`);
}

/** The runs of all guests that are on, or went off by themselves. */
export function runs(db: Queryable): Promise<({ id: string } & Pick<Guest, 'run'>)[]> {
  return db.query(
    sql`select id, state->'run' as run from simulator_guests where jsonb_typeof(state->'run') = 'object'`,
  );
}

/** The runs of these guests; one that has gone is left out. */
export function runsOf(db: Queryable, ids: string[]): Promise<({ id: string } & Pick<Guest, 'run'>)[]> {
  return db.query(
    sql`select id, nullif(state->'run', 'null'::jsonb) as run from simulator_guests where id = any(${ids}::text[])`,
  );
}

/** Sizes of a region's guests, added up. */
export function usedSize(db: Queryable, region: string): Promise<GuestSize> {
  return one(
    db,
    sql`select coalesce(sum((state->'vcpu')::int), 0)::int as vcpu,
      coalesce(sum((state->'ramMb')::int), 0)::int as "ramMb",
      coalesce(sum((state->'diskGb')::int), 0)::int as "diskGb"
    from simulator_guests where state->>'region' = ${region}`,
  );
}
