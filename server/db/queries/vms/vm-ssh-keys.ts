import { execute, type Queryable, sql } from '../../database.ts';

/** Returns the keys that may log in to a VM, as authorized_keys lines. */
export async function authorizedKeysOf(db: Queryable, vmId: string): Promise<string[]> {
  const rows = await db.query<{ public_key: string }>(
    sql`select public_key from vm_ssh_keys where vm_id = ${vmId} order by fingerprint`,
  );
  return rows.map((row) => row.public_key);
}

export async function insertVmSshKey(
  db: Queryable,
  vmId: string,
  key: { fingerprint: string; public_key: string },
) {
  await execute(
    db,
    sql`
    insert into vm_ssh_keys (vm_id, fingerprint, public_key) values (${vmId}, ${key.fingerprint}, ${key.public_key})
    on conflict do nothing`,
  );
}

export async function replaceVmSshKeys(
  db: Queryable,
  vmId: string,
  keys: { fingerprint: string; public_key: string }[],
): Promise<void> {
  await execute(db, sql`delete from vm_ssh_keys where vm_id = ${vmId}`);
  for (const key of keys) await insertVmSshKey(db, vmId, key);
}
