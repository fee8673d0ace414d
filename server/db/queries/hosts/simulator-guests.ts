import type { SystemStore } from '../../../compute/simulator/guest-os/system/store.ts';
import type {
  Disks,
  Glance,
  Guest,
  GuestRun,
  MeteredGuest,
  Resources,
  SimulatorStore,
} from '../../../compute/simulator/store.ts';
import { type Database, execute, maybeOne, one, type Sql, sql } from '../../database.ts';
import { simulatorDisks } from './simulator-disks.ts';
import { SimulatorInsides } from './simulator-insides.ts';

/** Host of guests made when there was only one host; the name that `compute/simulator/guest.ts` uses for it. */
const ONLY_HOST = 'simulator';

interface SeenGuest {
  state: Guest;
  lost: string[];
}
const LOST = sql`array(select id::text from simulator_lost_hosts) as lost`;

/** The simulated engines' memory, shared by all nodes on the database: one row per guest. */
export class SimulatorGuests implements SimulatorStore {
  readonly insides: SystemStore;
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
    this.insides = new SimulatorInsides(db);
  }

  async readGuest(id: string): Promise<Guest | undefined> {
    const guest = sql`select state from simulator_guests where id = ${id}`;
    return (await maybeOne<{ state: Guest }>(this.#db, guest))?.state;
  }

  async seeGuest(id: string): Promise<{ guest: Guest; lost: ReadonlySet<string> } | undefined> {
    const seen = sql`select state, ${LOST} from simulator_guests where id = ${id}`;
    const row = await maybeOne<SeenGuest>(this.#db, seen);
    return row && { guest: row.state, lost: new Set(row.lost) };
  }

  async insertGuest(id: string, guest: Guest): Promise<boolean> {
    const rows = await this.#db.query(sql`
      insert into simulator_guests (id, state) values (${id}, ${JSON.stringify(guest)}::jsonb)
      on conflict (id) do nothing returning id`);
    return rows.length > 0;
  }

  async deleteGuest(id: string): Promise<void> {
    await this.#db.query(sql`delete from simulator_guests where id = ${id}`);
  }

  changeGuest<T extends object>(
    id: string,
    work: (guest: Guest, disks: Disks, lost: ReadonlySet<string>) => T | Promise<T>,
  ): Promise<T | undefined> {
    return this.#db.transaction(async (tx) => {
      const row = await maybeOne<SeenGuest>(
        tx,
        sql`select state, ${LOST} from simulator_guests where id = ${id} for no key update`,
      );
      if (!row) return undefined;
      const result = await work(row.state, simulatorDisks(tx, id), new Set(row.lost));
      await execute(
        tx,
        sql`update simulator_guests set state = ${JSON.stringify(row.state)}::jsonb where id = ${id}`,
      );
      return result;
    });
  }

  glances(): Promise<Glance[]> {
    return this.#db.query(sql`
      select id, state->>'host' as host, state->>'hostname' as hostname, nullif(state->'run', 'null'::jsonb) as run
      from simulator_guests order by id`);
  }

  async countGuests(): Promise<number> {
    const { count } = await one<{ count: bigint }>(this.#db, sql`select count(*) from simulator_guests`);
    return Number(count);
  }

  meteredGuests(ids: string[]): Promise<MeteredGuest[]> {
    return this.#db.query(sql`
      select g.id, part.*, i.state->'units' as units
      from simulator_guests g left join simulator_insides i on i.guest_id = g.id,
        jsonb_to_record(g.state) as part(hostname text, run jsonb, before jsonb, vcpu int, "ramMb" int)
      where g.id = any(${ids}::text[]) and ${seen(sql`g.state`)}`);
  }

  runs(): Promise<GuestRun[]> {
    return this.#db.query(
      sql`select id, state->'run' as run from simulator_guests
        where jsonb_typeof(state->'run') = 'object' and ${seen(sql`state`)}`,
    );
  }

  runsOf(ids: string[]): Promise<GuestRun[]> {
    return this.#db.query(
      sql`select id, nullif(state->'run', 'null'::jsonb) as run from simulator_guests
        where id = any(${ids}::text[]) and ${seen(sql`state`)}`,
    );
  }

  usedResources(hostId: string): Promise<Resources> {
    return one(
      this.#db,
      sql`select coalesce(sum(vcpu) filter (where dedicated is not true), 0)::int as vcpu,
        coalesce(sum(vcpu) filter (where dedicated), 0)::int as cores,
        coalesce(sum("ramMb"), 0)::float as "ramMb", coalesce(sum("diskGb"), 0)::float as "diskGb"
      from simulator_guests, jsonb_to_record(state) as size(vcpu int, "ramMb" int, "diskGb" int, dedicated boolean)
      where coalesce(state->>'host', ${ONLY_HOST}) = ${hostId}`,
    );
  }

  async lostHosts(): Promise<ReadonlySet<string>> {
    const rows = await this.#db.query<{ id: string }>(sql`select id from simulator_lost_hosts`);
    return new Set(rows.map(({ id }) => id));
  }

  async setLost(hostId: string, lost: boolean): Promise<void> {
    const change = lost
      ? sql`insert into simulator_lost_hosts (id) values (${hostId}) on conflict do nothing`
      : sql`delete from simulator_lost_hosts where id = ${hostId}`;
    await execute(this.#db, change);
  }
}

/** Condition: the host of the guest with this state is reachable. */
const seen = (state: Sql) =>
  sql`coalesce(${state}->>'host', ${ONLY_HOST}) not in (select id from simulator_lost_hosts)`;
