import { type Database, maybeOne, one, type Queryable, sql, type Transaction } from '../../db/database.ts';
import type { InsideState } from '../../simulated-guest/machine/state.ts';
import type { Resources } from '../driver.ts';
import type { Guest } from './guest.ts';

/** The simulated engine's memory: one row a guest, shared by every process on the database. */

/** The guest as stored, or undefined; for what simulates its inside, such as a console. */
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
 * no such guest. It is locked meanwhile; a throw leaves it as it was.
 */
export function changeGuest<T extends object>(
  db: Database,
  id: string,
  work: (guest: Guest, tx: Transaction) => T | Promise<T>,
): Promise<T | undefined> {
  return db.transaction(async (tx) => {
    const row = await maybeOne<{ state: Guest }>(
      tx,
      sql`select state from simulator_guests where id = ${id} for no key update`,
    );
    if (!row) return undefined;
    const result = await work(row.state, tx);
    await tx.query(
      sql`update simulator_guests set state = ${JSON.stringify(row.state)}::jsonb where id = ${id}`,
    );
    return result;
  });
}

/** What can be told at a glance of each guest, in order of ids. */
export function glances(db: Queryable): Promise<({ id: string } & Pick<Guest, 'hostname' | 'run'>)[]> {
  return db.query(sql`
    select id, state->>'hostname' as hostname, nullif(state->'run', 'null'::jsonb) as run
    from simulator_guests order by id`);
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

/** What all guests have together. */
export function usedResources(db: Queryable): Promise<Resources> {
  return one(
    db,
    sql`select coalesce(sum(vcpu) filter (where dedicated is not true), 0)::int as vcpu,
      coalesce(sum(vcpu) filter (where dedicated), 0)::int as cores,
      coalesce(sum("ramMb"), 0)::float as "ramMb", coalesce(sum("diskGb"), 0)::float as "diskGb"
    from simulator_guests, jsonb_to_record(state) as size(vcpu int, "ramMb" int, "diskGb" int, dedicated boolean)`,
  );
}
