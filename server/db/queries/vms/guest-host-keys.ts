import { execute, maybeOne, one, type Queryable, sql } from '../../database.ts';

/** Returns the fingerprint pinned for this guest, or undefined before first contact. */
export async function pinnedHostKey(db: Queryable, vmId: string): Promise<string | undefined> {
  const query = sql`select fingerprint from guest_host_keys where vm_id = ${vmId}`;
  return (await maybeOne<{ fingerprint: string }>(db, query))?.fingerprint;
}

/**
 * Returns the fingerprint pinned for this guest, pinning the given one at first contact. Of two simultaneous first
 * contacts only one pins, and both get the same fingerprint.
 */
export async function pinHostKey(
  db: Queryable,
  vmId: string,
  fingerprint: string,
  at: Date,
): Promise<string> {
  await execute(
    db,
    sql`
    insert into guest_host_keys (vm_id, fingerprint, pinned_at) values (${vmId}, ${fingerprint}, ${at})
    on conflict (vm_id) do nothing`,
  );
  const pinned = await one<{ fingerprint: string }>(
    db,
    sql`select fingerprint from guest_host_keys where vm_id = ${vmId}`,
  );
  return pinned.fingerprint;
}

/** Forgets the key of a guest whose disk was replaced: the next key it presents will be pinned. */
export async function forgetHostKey(db: Queryable, vmId: string): Promise<void> {
  await execute(db, sql`delete from guest_host_keys where vm_id = ${vmId}`);
}
