import { empty, execute, maybeOne, one, type Queryable, sql } from '../database.ts';

/** Fingerprint of the ops key that the VM's guest has; `lock` keeps the VM as it is until the transaction ends. */
export async function recordedOpsKey(db: Queryable, vmId: string, lock = false): Promise<string | null> {
  const row = await maybeOne<{ fingerprint: string | null }>(
    db,
    sql`select ops_key_fingerprint as fingerprint from vms where id = ${vmId} ${lock ? sql`for no key update` : empty}`,
  );
  return row?.fingerprint ?? null;
}

/** Null where it is not known which of them the guest has. */
export async function recordOpsKey(db: Queryable, vmId: string, fingerprint: string | null): Promise<void> {
  await execute(db, sql`update vms set ops_key_fingerprint = ${fingerprint} where id = ${vmId}`);
}

/** Fingerprints of what guests and snapshots have; null among them where there is one of which it is not known. */
export async function opsKeysInUse(db: Queryable): Promise<(string | null)[]> {
  const rows = await db.query<{ fingerprint: string | null }>(sql`
    select distinct ops_key_fingerprint as fingerprint from vms
    where deleted_at is null and (ops_key_fingerprint is not null or provisioned_at is not null)
    union
    select ops_key_fingerprint from snapshots where status = 'available'`);
  return rows.map(({ fingerprint }) => fingerprint);
}

/** How many VMs' guests do not have the key of this fingerprint yet. */
export async function countOtherOpsKeys(db: Queryable, fingerprint: string): Promise<number> {
  const { count } = await one<{ count: number }>(
    db,
    sql`select count(*)::int as count from vms
      where deleted_at is null and (ops_key_fingerprint is not null or provisioned_at is not null)
        and ops_key_fingerprint is distinct from ${fingerprint}`,
  );
  return count;
}

/** Running VMs of this engine without the key of this fingerprint and with nothing going on, after `after`, by id. */
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
