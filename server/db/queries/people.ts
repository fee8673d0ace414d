import { maybeOne, one, type Queryable, sql } from '../database.ts';

/** Who a person is to the service: a customer of it, or one of those who run it. Neither is ever taken for the other. */
export type Realm = 'customer' | 'operator';

export interface PersonRow {
  id: string;
  realm: Realm;
  /** As its owner writes it. */
  email: string;
  email_verified_at: Date | null;
  name: string;
  locale: string;
  /** Argon2id in PHC form. */
  password_hash: string | null;
  created_at: Date;
}

const columns = sql`id, realm, email, email_verified_at, name, locale, password_hash, created_at`;

/** What an address is found by, however it is written. */
export const emailKey = (email: string) => email.toLowerCase();

/** Writes a person; false where the address is taken. */
export async function insertPerson(db: Queryable, person: PersonRow): Promise<boolean> {
  const rows = await db.query(sql`
    insert into people (${columns}, email_key)
    values (${person.id}, ${person.realm}, ${person.email}, ${person.email_verified_at}, ${person.name}, ${person.locale},
      ${person.password_hash}, ${person.created_at}, ${emailKey(person.email)})
    on conflict (realm, email_key) do nothing returning id`);
  return rows.length > 0;
}

export function findPerson(db: Queryable, id: string): Promise<PersonRow | undefined> {
  return maybeOne<PersonRow>(db, sql`select ${columns} from people where id = ${id}`);
}

export function findPersonByEmail(
  db: Queryable,
  email: string,
  realm: Realm = 'customer',
): Promise<PersonRow | undefined> {
  return maybeOne<PersonRow>(
    db,
    sql`select ${columns} from people where realm = ${realm} and email_key = ${emailKey(email)}`,
  );
}

/** The person, locked until the transaction ends. */
export function lockPerson(db: Queryable, id: string): Promise<PersonRow | undefined> {
  return maybeOne<PersonRow>(db, sql`select ${columns} from people where id = ${id} for no key update`);
}

/** What of a person is to change; what is not named stays. */
export type PersonChange = Partial<Pick<PersonRow, 'email' | 'name' | 'locale' | 'password_hash'>>;

export async function updatePerson(db: Queryable, id: string, change: PersonChange): Promise<PersonRow> {
  const { email = null, name = null, locale = null, password_hash = null } = change;
  return one<PersonRow>(
    db,
    sql`update people set email = coalesce(${email}, email),
          email_key = coalesce(${email && emailKey(email)}, email_key), name = coalesce(${name}, name),
          locale = coalesce(${locale}, locale), password_hash = coalesce(${password_hash}, password_hash)
        where id = ${id} returning ${columns}`,
  );
}
