import { maybeOne, type Queryable, sql } from '../../db/database.ts';
import { bytesOnDisk, type Guest, imageUsedBytes } from './guest.ts';

// Disks as they once were: a row each, by the name of a snapshot or of a rebuild that has set one aside.

/** What a disk is said to hold beside its files, of {@link Guest}. */
type OnDisk = Pick<Guest, 'template' | 'authorizedKeys' | 'initialPassword' | 'passwords'>;

interface KeptDisk extends OnDisk {
  bytes: number;
}

/** Keeps the guest's disk as it is at `now`; a disk of that name is left as it is. */
export async function keepDisk(
  db: Queryable,
  id: string,
  name: string,
  guest: Guest,
  now: number,
): Promise<void> {
  const { template, authorizedKeys, initialPassword, passwords } = guest;
  const bytes = bytesOnDisk(id, guest, now);
  const kept: KeptDisk = { template, authorizedKeys, initialPassword, passwords, bytes };
  await db.query(sql`
    insert into simulator_disks (guest_id, name, guest, inside, files)
    select ${id}, ${name}, ${JSON.stringify(kept)}::text::jsonb,
      (select to_jsonb(inside) from simulator_insides inside where guest_id = ${id}),
      (select coalesce(jsonb_agg(to_jsonb(file)), '[]'::jsonb) from simulator_files file where guest_id = ${id})
    on conflict (guest_id, name) do nothing`);
}

/** Gives the guest, at `now`, a disk that was kept. False, and nothing changed, where there is none of that name. */
export async function takeBackDisk(
  db: Queryable,
  id: string,
  name: string,
  guest: Guest,
  now: number,
): Promise<boolean> {
  const kept = await maybeOne<{ guest: KeptDisk }>(
    db,
    sql`select guest from simulator_disks where guest_id = ${id} and name = ${name}`,
  );
  if (!kept) return false;
  const { bytes, ...onDisk } = kept.guest;
  Object.assign(guest, onDisk);
  await emptyDisk(db, id, guest, now, bytes);
  const found = sql`simulator_disks where guest_id = ${id} and name = ${name}`;
  await db.query(sql`
    insert into simulator_insides
    select (jsonb_populate_record(null::simulator_insides, inside)).* from ${found} and inside is not null`);
  await db.query(sql`
    insert into simulator_files
    select (jsonb_populate_recordset(null::simulator_files, files)).* from ${found}`);
  return true;
}

/** Leaves nothing on the guest's disk, at `now`, but `bytes` without a name: those of its image, unless said otherwise. */
export async function emptyDisk(
  db: Queryable,
  id: string,
  guest: Guest,
  now: number,
  bytes: number = imageUsedBytes(),
): Promise<void> {
  guest.unwrittenBytes = (guest.unwrittenBytes ?? 0) + bytesOnDisk(id, guest, now) - bytes;
  await db.query(sql`delete from simulator_insides where guest_id = ${id}`);
  await db.query(sql`delete from simulator_files where guest_id = ${id}`);
}

/** Forgets a disk that was kept; an absent one is a success. */
export async function dropDisk(db: Queryable, id: string, name: string): Promise<void> {
  await db.query(sql`delete from simulator_disks where guest_id = ${id} and name = ${name}`);
}
