import { execute, type Queryable, sql } from '../database.ts';
import type { Realm } from './people.ts';
import { deleteSome } from './purge.ts';

/** A browser on which a person has signed in. */
export interface KnownDeviceRow {
  id: string;
  person_id: string;
  /** The hash of its secret, in hexadecimal. */
  hash: string;
  /** The address of the person, as it is looked up. */
  email_key: string;
}

/** The devices with these secrets that were used since `since` by people of the realm. */
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

/** Records that a person has signed in on a device again. */
export async function touchKnownDevice(db: Queryable, id: string, now: Date): Promise<void> {
  await execute(db, sql`update known_devices set last_used_at = ${now} where id = ${id}`);
}

/** Forgets the devices of a person that were not used for the longest time, except for `most`. */
export async function deleteKnownDevicesBeyond(db: Queryable, personId: string, most: number): Promise<void> {
  await execute(
    db,
    sql`delete from known_devices where id in (
          select id from known_devices where person_id = ${personId}
          order by last_used_at desc, id desc offset ${most})`,
  );
}

/** Forgets all devices of a person. */
export async function deleteKnownDevicesOf(db: Queryable, personId: string): Promise<void> {
  await execute(db, sql`delete from known_devices where person_id = ${personId}`);
}

/** Forgets devices that were last used before `before`. */
export function deleteKnownDevicesBefore(db: Queryable, before: Date, limit: number): Promise<number> {
  const where = sql`last_used_at < ${before}`;
  return deleteSome(db, { table: sql`known_devices`, where, order: sql`last_used_at` }, limit);
}
