import { execute, maybeOne, type Queryable, sql } from '../../database.ts';

export interface TotpRow {
  person_id: string;
  /** Sealed. */
  secret: string;
  confirmed_at: Date | null;
  last_step: bigint | null;
}

export function findTotp(db: Queryable, personId: string): Promise<TotpRow | undefined> {
  return maybeOne<TotpRow>(
    db,
    sql`select person_id, secret, confirmed_at, last_step from totps where person_id = ${personId}`,
  );
}

/** Stores a secret that has yet to be confirmed; returns false if there is a confirmed one. */
export async function writeTotp(
  db: Queryable,
  personId: string,
  secret: string,
  now: Date,
): Promise<boolean> {
  const rows = await db.query(sql`
    insert into totps (person_id, secret, created_at) values (${personId}, ${secret}, ${now})
    on conflict (person_id) do update set secret = excluded.secret, created_at = excluded.created_at
      where totps.confirmed_at is null
    returning person_id`);
  return rows.length > 0;
}

/**
 * Accepts the code of a time step, which also confirms an unconfirmed secret. Returns false if that code or a later one
 * was already used. Of two concurrent uses of one code, only one succeeds.
 */
export async function takeTotpStep(
  db: Queryable,
  personId: string,
  { step, secret }: { step: number; secret: string },
  now: Date,
): Promise<boolean> {
  const rows = await db.query(sql`
    update totps set last_step = ${step}, confirmed_at = coalesce(confirmed_at, ${now})
    where person_id = ${personId} and secret = ${secret} and (last_step is null or last_step < ${step})
    returning person_id`);
  return rows.length > 0;
}

/** Deletes the secret and the recovery codes; returns whether there was a secret. */
export async function deleteTotp(db: Queryable, personId: string): Promise<boolean> {
  const rows = await db.query(sql`delete from totps where person_id = ${personId} returning person_id`);
  await execute(db, sql`delete from recovery_codes where person_id = ${personId}`);
  return rows.length > 0;
}

export async function replaceRecoveryCodes(db: Queryable, personId: string, hashes: Buffer[]): Promise<void> {
  await execute(db, sql`delete from recovery_codes where person_id = ${personId}`);
  for (const hash of hashes)
    await execute(db, sql`insert into recovery_codes (person_id, hash) values (${personId}, ${hash})`);
}

/** Uses up a recovery code; returns false if it is unknown or was already used. */
export async function takeRecoveryCode(
  db: Queryable,
  personId: string,
  hash: Buffer,
  now: Date,
): Promise<boolean> {
  const rows = await db.query(sql`
    update recovery_codes set used_at = ${now}
    where person_id = ${personId} and hash = ${hash} and used_at is null returning person_id`);
  return rows.length > 0;
}

/** Returns sealed secrets after `after`, in order of their person, and locks them until the transaction ends. */
export function lockTotps(tx: Queryable, after: string, limit: number): Promise<TotpRow[]> {
  return tx.query<TotpRow>(sql`
    select person_id, secret, confirmed_at, last_step from totps where person_id > ${after}
    order by person_id limit ${limit} for no key update`);
}

export async function setTotpSecret(tx: Queryable, personId: string, secret: string): Promise<void> {
  await execute(tx, sql`update totps set secret = ${secret} where person_id = ${personId}`);
}
