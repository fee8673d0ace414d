import { execute, maybeOne, type Queryable, sql } from '../database.ts';

/** Between which instants a VM is to be moved, as its owner was told; undefined where no such move is due. */
export function findMoveWindow(db: Queryable, vmId: string): Promise<{ from: Date; to: Date } | undefined> {
  return maybeOne(
    db,
    sql`select from_at as "from", to_at as "to" from vm_move_windows where vm_id = ${vmId}`,
  );
}

export async function setMoveWindow(
  db: Queryable,
  vmId: string,
  { from, to }: { from: Date; to: Date },
): Promise<void> {
  await execute(
    db,
    sql`
    insert into vm_move_windows (vm_id, from_at, to_at) values (${vmId}, ${from}, ${to})
    on conflict (vm_id) do update set from_at = excluded.from_at, to_at = excluded.to_at`,
  );
}

/** The VM has moved, or is not to be any more. */
export async function clearMoveWindow(db: Queryable, vmId: string): Promise<void> {
  await execute(db, sql`delete from vm_move_windows where vm_id = ${vmId}`);
}
