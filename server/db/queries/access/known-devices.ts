import { execute, type Queryable, sql } from '../../database.ts';
import { deleteSome } from '../service/purge.ts';
import type { Realm } from './people.ts';

/** A browser on which a person has signed in. */
export interface KnownDeviceRow {
  id: string;
  person_id: string;
  /** Hash of the device's secret, in hexadecimal. */
  hash: string;
  /** The person's address, normalized for look-ups. */
  email_key: string;
}

/** Returns the devices with these secrets that people of the realm have used since `since`. */
export function findKnownDevices(
  db: Queryable,
  hashes: readonly string[],
  { realm, since }: { realm: Realm; since: Date },
): Promise<KnownDeviceRow[]> {
  return db.query<KnownDeviceRow>(
    sql`select known_devices.id, known_devices.person_id, encode(known_devices.hash, 'hex') as hash,
          people.email_key
        from known_devices join people on people.id = known_devices.person_id
          and people.realm = ${realm} and people.removed_at is null
        where known_devices.hash in (select decode(hex, 'hex') from unnest(${hashes}::text[]) as hex)
          and known_devices.last_used_at > ${since}`,
  );
}

export async function insertKnownDevice(
  db: Queryable,
  { id, personId, hash, now }: { id: string; personId: string; hash: Buffer; now: Date },
): Promise<void> {
  await execute(
    db,
    sql`insert into known_devices (id, person_id, hash, created_at, last_used_at)
        values (${id}, ${personId}, ${hash}, ${now}, ${now})`,
  );
}

export async function touchKnownDevice(db: Queryable, id: string, now: Date): Promise<void> {
  await execute(db, sql`update known_devices set last_used_at = ${now} where id = ${id}`);
}

/** Deletes all devices of a person except the `most` most recently used. */
export async function deleteKnownDevicesBeyond(db: Queryable, personId: string, most: number): Promise<void> {
  await execute(
    db,
    sql`delete from known_devices where id in (
          select id from known_devices where person_id = ${personId}
          order by last_used_at desc, id desc offset ${most})`,
  );
}

export async function deleteKnownDevicesOf(db: Queryable, personId: string): Promise<void> {
  await execute(db, sql`delete from known_devices where person_id = ${personId}`);
}

export function deleteKnownDevicesBefore(db: Queryable, before: Date, limit: number): Promise<number> {
  const where = sql`last_used_at < ${before}`;
  return deleteSome(db, { table: sql`known_devices`, where, order: sql`last_used_at` }, limit);
}
