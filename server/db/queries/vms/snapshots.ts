import { empty, execute, maybeOne, one, type Queryable, sql } from '../../database.ts';
import { type Page, pageOf } from '../page.ts';

export type SnapshotStatus = 'creating' | 'available' | 'deleting' | 'error';

export interface SnapshotRow {
  id: string;
  account_id: string;
  vm_id: string;
  name: string;
  description: string | null;
  status: SnapshotStatus;
  size_bytes: bigint | null;
  includes_memory: boolean;
  /** Fingerprint of the ops key that its disk authorizes; null if unknown. */
  ops_key_fingerprint: string | null;
  created_at: Date;
}

export function insertSnapshot(
  db: Queryable,
  row: Omit<SnapshotRow, 'ops_key_fingerprint'>,
): Promise<SnapshotRow> {
  return one<SnapshotRow>(
    db,
    sql`
    insert into snapshots (id, account_id, vm_id, name, description, status, size_bytes, includes_memory, created_at)
    values (${row.id}, ${row.account_id}, ${row.vm_id}, ${row.name}, ${row.description}, ${row.status}, ${row.size_bytes},
      ${row.includes_memory}, ${row.created_at}) returning *`,
  );
}

export function findSnapshot(db: Queryable, vmId: string, id: string): Promise<SnapshotRow | undefined> {
  return maybeOne<SnapshotRow>(db, sql`select * from snapshots where id = ${id} and vm_id = ${vmId}`);
}

/** Returns a snapshot regardless of its VM: for the service's own work (jobs), never for a request. */
export function systemFindSnapshot(db: Queryable, id: string): Promise<SnapshotRow | undefined> {
  return maybeOne<SnapshotRow>(db, sql`select * from snapshots where id = ${id}`);
}

export function listSnapshots(db: Queryable, vmId: string, page: Page): Promise<SnapshotRow[]> {
  return db.query<SnapshotRow>(sql`select * from snapshots where vm_id = ${vmId} ${pageOf(sql`id`, page)}`);
}

/** Counts all snapshots of a VM. Failed ones count too: each occupies its place until it is deleted. */
export async function countSnapshots(db: Queryable, vmId: string): Promise<number> {
  return (await one<{ n: number }>(db, sql`select count(*)::int as n from snapshots where vm_id = ${vmId}`))
    .n;
}

/**
 * Counts the snapshots that a VM would lose with its disk. One in status `error` was never taken, or its owner wanted
 * it deleted.
 */
export async function countUsableSnapshots(db: Queryable, vmId: string): Promise<number> {
  const { n } = await one<{ n: number }>(
    db,
    sql`select count(*)::int as n from snapshots where vm_id = ${vmId} and status <> 'error'`,
  );
  return n;
}

/** Sets a snapshot's status and, once known from the engine, its size and whether it includes memory. */
export async function settleSnapshot(
  db: Queryable,
  id: string,
  status: SnapshotStatus,
  sizeBytes?: bigint,
  includesMemory?: boolean,
): Promise<void> {
  const size =
    sizeBytes === undefined
      ? empty
      : sql`, size_bytes = ${sizeBytes}::bigint, includes_memory = ${includesMemory ?? false}`;
  await execute(db, sql`update snapshots set status = ${status} ${size} where id = ${id}`);
}

/** Records which ops key the service needs after the VM is restored to this snapshot: the one its guest has now. */
export async function noteOpsKey(db: Queryable, id: string): Promise<void> {
  await execute(
    db,
    sql`
    update snapshots set ops_key_fingerprint = (select ops_key_fingerprint from vms where vms.id = vm_id)
    where id = ${id}`,
  );
}

export async function deleteSnapshotRows(db: Queryable, vmId: string): Promise<void> {
  await execute(db, sql`delete from snapshots where vm_id = ${vmId}`);
}

export async function deleteSnapshotRow(db: Queryable, id: string): Promise<void> {
  await execute(db, sql`delete from snapshots where id = ${id}`);
}
