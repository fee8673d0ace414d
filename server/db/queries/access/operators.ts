import { execute, type Queryable, sql } from '../../database.ts';

export interface OperatorRow {
  id: string;
  email: string;
  has_password: boolean;
  totp: boolean;
  passkeys: number;
  last_sign_in_at: Date | null;
  created_at: Date;
}

/** Lists all operators, oldest first. */
export function listOperators(db: Queryable): Promise<OperatorRow[]> {
  return db.query<OperatorRow>(sql`
    select id, email, password_hash is not null as has_password,
      exists (select from totps where person_id = people.id and confirmed_at is not null) as totp,
      (select count(*)::int from passkeys where person_id = people.id) as passkeys,
      (select max(created_at) from audit_entries
        where person_id = people.id and action = 'person.signed_in') as last_sign_in_at,
      created_at
    from people where realm = 'operator' and removed_at is null order by id`);
}

/** Returns whether an operator was removed. The caller must hold the lock on the row. */
export async function isRemoved(db: Queryable, id: string): Promise<boolean> {
  const rows = await db.query(sql`select from people where id = ${id} and removed_at is not null`);
  return rows.length > 0;
}

/** Marks an operator as removed since `at`, or as restored if null. Deletes the password in either case. */
export async function setRemoved(db: Queryable, id: string, at: Date | null): Promise<void> {
  await execute(db, sql`update people set removed_at = ${at}, password_hash = null where id = ${id}`);
}

export async function deletePasskeysOf(db: Queryable, personId: string): Promise<void> {
  await execute(db, sql`delete from passkeys where person_id = ${personId}`);
}
