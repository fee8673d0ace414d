import { execute, maybeOne, type Queryable, sql } from '../database.ts';

/** Between which instants VMs are moved that are switched off for it. */
export interface MoveWindow {
  from: Date;
  to: Date;
}

/** That of a VM, as its owner was notified; undefined where no such move is due. */
export function findMoveWindow(db: Queryable, vmId: string): Promise<MoveWindow | undefined> {
  return maybeOne(
    db,
    sql`select from_at as "from", to_at as "to" from vm_move_windows where vm_id = ${vmId}`,
  );
}

export async function setMoveWindow(db: Queryable, vmId: string, { from, to }: MoveWindow): Promise<void> {
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
