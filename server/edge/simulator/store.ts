import { type Database, maybeOne, type Queryable, sql } from '../../db/database.ts';
import type { SimulatedTarget } from './target.ts';

/** The simulated edge's memory: one row a target, shared by every process on the database. */

interface StoredTarget {
  id: string;
  state: SimulatedTarget;
}

/** The given targets, or all of them, in order of their ids. */
export function readTargets(db: Queryable, ids?: string[]): Promise<StoredTarget[]> {
  return ids === undefined
    ? db.query(sql`select id, state from simulator_edge_targets order by id`)
    : db.query(sql`select id, state from simulator_edge_targets where id = any(${ids}::text[]) order by id`);
}

export async function writeTargets(db: Queryable, targets: StoredTarget[]): Promise<void> {
  await db.query(sql`
    insert into simulator_edge_targets (id, state)
    select id, state from json_to_recordset(${JSON.stringify(targets)}::text::json) as fresh (id text, state jsonb) order by id
    on conflict (id) do update set state = excluded.state`);
}

/** Deletes all targets but these. */
export async function keepTargets(db: Queryable, ids: string[]): Promise<void> {
  await db.query(sql`delete from simulator_edge_targets where not (id = any(${ids}::text[]))`);
}

export async function deleteTarget(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from simulator_edge_targets where id = ${id}`);
}

/** Lets `work` make another state of a target, exclusively; undefined, and no work, where there is none. */
export function changeTarget(
  db: Database,
  id: string,
  work: (target: SimulatedTarget) => SimulatedTarget,
): Promise<SimulatedTarget | undefined> {
  return db.transaction(async (tx) => {
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
