import { empty, execute, maybeOne, one, type Queryable, sql } from '../../database.ts';

/** Returns the fingerprint of the ops key that the VM's guest has; `lock` locks the VM until the transaction ends. */
export async function recordedOpsKey(db: Queryable, vmId: string, lock = false): Promise<string | null> {
  const row = await maybeOne<{ fingerprint: string | null }>(
    db,
    sql`select ops_key_fingerprint as fingerprint from vms where id = ${vmId} ${lock ? sql`for no key update` : empty}`,
  );
  return row?.fingerprint ?? null;
}

/** Records which ops key the guest has; null if unknown. */
export async function recordOpsKey(db: Queryable, vmId: string, fingerprint: string | null): Promise<void> {
  await execute(db, sql`update vms set ops_key_fingerprint = ${fingerprint} where id = ${vmId}`);
}

/** Returns the fingerprints of the ops keys in guests and snapshots; includes null if the key of one is unknown. */
export async function opsKeysInUse(db: Queryable): Promise<(string | null)[]> {
  const rows = await db.query<{ fingerprint: string | null }>(sql`
    select distinct ops_key_fingerprint as fingerprint from vms
    where deleted_at is null and (ops_key_fingerprint is not null or provisioned_at is not null)
    union
    select ops_key_fingerprint from snapshots where status = 'available'`);
  return rows.map(({ fingerprint }) => fingerprint);
}

/** Counts the VMs whose guests do not have the key with this fingerprint yet. */
export async function countOtherOpsKeys(db: Queryable, fingerprint: string): Promise<number> {
  const { count } = await one<{ count: number }>(
    db,
    sql`select count(*)::int as count from vms
      where deleted_at is null and (ops_key_fingerprint is not null or provisioned_at is not null)
        and ops_key_fingerprint is distinct from ${fingerprint}`,
  );
  return count;
}

/** Returns idle running VMs of this engine without the key with this fingerprint, after `after`, by id. */
export function vmsWithOtherOpsKey(
  db: Queryable,
  { engine, fingerprint, after }: { engine: string; fingerprint: string; after: string },
  limit: number,
): Promise<{ id: string }[]> {
  return db.query(sql`
    select id from vms
    where deleted_at is null and status = 'running' and active_job_id is null and engine = ${engine}
      and ops_key_fingerprint is distinct from ${fingerprint} and id > ${after}
    order by id limit ${limit}`);
}
