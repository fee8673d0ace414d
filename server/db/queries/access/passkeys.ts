import { execute, maybeOne, type Queryable, sql } from '../../database.ts';
import { deleteSome } from '../service/purge.ts';

export interface PasskeyRow {
  id: string;
  person_id: string;
  /** The authenticator's id for it, in base64url. */
  credential_id: string;
  public_key: Uint8Array;
  counter: bigint;
  transports: string[];
  name: string;
  created_at: Date;
  last_used_at: Date | null;
}

const columns = sql`id, person_id, credential_id, public_key, counter, transports, name, created_at, last_used_at`;

export function listPasskeys(db: Queryable, personId: string): Promise<PasskeyRow[]> {
  return db.query<PasskeyRow>(sql`select ${columns} from passkeys where person_id = ${personId} order by id`);
}

export function findPasskey(db: Queryable, credentialId: string): Promise<PasskeyRow | undefined> {
  return maybeOne<PasskeyRow>(db, sql`select ${columns} from passkeys where credential_id = ${credentialId}`);
}

/** Stores a passkey; returns false if it is already stored. */
export async function insertPasskey(db: Queryable, passkey: PasskeyRow): Promise<boolean> {
  const rows = await db.query(sql`
    insert into passkeys (${columns})
    values (${passkey.id}, ${passkey.person_id}, ${passkey.credential_id}, ${passkey.public_key}, ${passkey.counter},
      ${passkey.transports}, ${passkey.name}, ${passkey.created_at}, ${passkey.last_used_at})
    on conflict (credential_id) do nothing returning id`);
  return rows.length > 0;
}

/** Records a use. Returns false if the authenticator's counter has not increased: then a copy of the passkey exists. */
export async function touchPasskey(db: Queryable, id: string, counter: number, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    update passkeys set counter = ${counter}, last_used_at = ${now}
    where id = ${id} and (counter < ${counter} or (counter = 0 and ${counter} = 0)) returning id`);
  return rows.length > 0;
}

export async function deletePasskey(db: Queryable, personId: string, id: string): Promise<boolean> {
  const rows = await db.query(
    sql`delete from passkeys where id = ${id} and person_id = ${personId} returning id`,
  );
  return rows.length > 0;
}

export async function insertChallenge(
  db: Queryable,
  challenge: { hash: Uint8Array; personId: string | null; expiresAt: Date },
): Promise<void> {
  await execute(
    db,
    sql`insert into webauthn_challenges (hash, person_id, expires_at)
        values (${challenge.hash}, ${challenge.personId}, ${challenge.expiresAt})`,
  );
}

/**
 * Uses up a challenge. Returns false if it is unknown, used, or belongs to someone else; a null `personId` stands for a
 * challenge issued to no one in particular.
 */
export async function takeChallenge(
  db: Queryable,
  hash: Uint8Array,
  personId: string | null,
  now: Date,
): Promise<boolean> {
  const rows = await db.query(sql`
    delete from webauthn_challenges
    where hash = ${hash} and person_id is not distinct from ${personId} and expires_at > ${now} returning hash`);
  return rows.length > 0;
}

export function deleteChallengesBefore(db: Queryable, now: Date, limit: number): Promise<number> {
  const where = sql`expires_at < ${now}`;
  return deleteSome(db, { table: sql`webauthn_challenges`, where, order: sql`expires_at` }, limit);
}
