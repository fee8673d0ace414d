import { execute, maybeOne, type Queryable, sql } from '../../database.ts';

/** Window in which VMs that have to be switched off for a move are moved. */
export interface MoveWindow {
  from: Date;
  to: Date;
}

/** Returns the window that a VM's owner was notified of; undefined if no such move is planned. */
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

/** Clears the window of a VM that has moved, or will no longer be moved. */
export async function clearMoveWindow(db: Queryable, vmId: string): Promise<void> {
  await execute(db, sql`delete from vm_move_windows where vm_id = ${vmId}`);
}
