import type { Disks, KeptDisk } from '../../../compute/simulator/store.ts';
import { execute, maybeOne, type Queryable, sql } from '../../database.ts';

/** Returns the disks of a simulated guest, for the transaction that has locked its row. */
export function simulatorDisks(tx: Queryable, id: string): Disks {
  const empty = async () => {
    await execute(tx, sql`delete from simulator_insides where guest_id = ${id}`);
    await execute(tx, sql`delete from simulator_files where guest_id = ${id}`);
  };
  return {
    empty,
    async keep(name, kept) {
      await execute(
        tx,
        sql`
        insert into simulator_disks (guest_id, name, guest, inside, files)
        select ${id}, ${name}, ${JSON.stringify(kept)}::text::jsonb,
          (select to_jsonb(inside) from simulator_insides inside where guest_id = ${id}),
          (select coalesce(jsonb_agg(to_jsonb(file)), '[]'::jsonb) from simulator_files file where guest_id = ${id})
        on conflict (guest_id, name) do nothing`,
      );
    },
    async takeBack(name) {
      const found = sql`simulator_disks where guest_id = ${id} and name = ${name}`;
      const row = await maybeOne<{ guest: KeptDisk }>(tx, sql`select guest from ${found}`);
      if (!row) return undefined;
      await empty();
      await execute(
        tx,
        sql`
        insert into simulator_insides
        select (jsonb_populate_record(null::simulator_insides, inside)).* from ${found} and inside is not null`,
      );
      await execute(
        tx,
        sql`
        insert into simulator_files
        select (jsonb_populate_recordset(null::simulator_files, files)).* from ${found}`,
      );
      return row.guest;
    },
    async drop(name) {
      await execute(tx, sql`delete from simulator_disks where guest_id = ${id} and name = ${name}`);
    },
  };
}
