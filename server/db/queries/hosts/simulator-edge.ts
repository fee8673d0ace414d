import type { EdgeStore, SimulatedTarget, StoredTarget } from '../../../edge/simulator/store.ts';
import { type Database, execute, maybeOne, type Queryable, sql } from '../../database.ts';

/** The simulated edge's memory, shared by all nodes on the database: one row per target. */
export class SimulatorTargets implements EdgeStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  readTargets(ids?: string[]): Promise<StoredTarget[]> {
    return readTargets(this.#db, ids);
  }

  replaceTargets(
    ids: string[],
    work: (id: string, present: SimulatedTarget | undefined) => SimulatedTarget,
  ): Promise<void> {
    return this.#db.transaction(async (tx) => {
      const present = new Map((await readTargets(tx)).map(({ id, state }) => [id, state]));
      await execute(tx, sql`delete from simulator_edge_targets where not (id = any(${ids}::text[]))`);
      await writeTargets(
        tx,
        ids.map((id) => ({ id, state: work(id, present.get(id)) })),
      );
    });
  }

  putTarget(id: string, work: (present: SimulatedTarget | undefined) => SimulatedTarget): Promise<void> {
    return this.#db.transaction(async (tx) => {
      const [present] = await readTargets(tx, [id]);
      await writeTargets(tx, [{ id, state: work(present?.state) }]);
    });
  }

  async deleteTarget(id: string): Promise<void> {
    await this.#db.query(sql`delete from simulator_edge_targets where id = ${id}`);
  }

  changeTarget(
    id: string,
    work: (target: SimulatedTarget) => SimulatedTarget,
  ): Promise<SimulatedTarget | undefined> {
    return this.#db.transaction(async (tx) => {
      const row = await maybeOne<StoredTarget>(
        tx,
        sql`select id, state from simulator_edge_targets where id = ${id} for no key update`,
      );
      if (!row) return undefined;
      const state = work(row.state);
      await writeTargets(tx, [{ id, state }]);
      return state;
    });
  }
}

function readTargets(db: Queryable, ids?: string[]): Promise<StoredTarget[]> {
  return ids === undefined
    ? db.query(sql`select id, state from simulator_edge_targets order by id`)
    : db.query(sql`select id, state from simulator_edge_targets where id = any(${ids}::text[]) order by id`);
}

async function writeTargets(tx: Queryable, targets: StoredTarget[]): Promise<void> {
  await execute(
    tx,
    sql`
    insert into simulator_edge_targets (id, state)
    select id, state from json_to_recordset(${JSON.stringify(targets)}::text::json) as fresh (id text, state jsonb) order by id
    on conflict (id) do update set state = excluded.state`,
  );
}
