import { maybeOne, one, type Queryable, sql } from '../../database.ts';

/** A person is either a customer or one of the operators. The two are never confused. */
export type Realm = 'customer' | 'operator';

export interface PersonRow {
  id: string;
  realm: Realm;
  /** In the spelling its owner uses. */
  email: string;
  email_verified_at: Date | null;
  name: string;
  locale: string;
  /** Argon2id in PHC form. */
  password_hash: string | null;
  created_at: Date;
}

const columns = sql`id, realm, email, email_verified_at, name, locale, password_hash, created_at`;

/** Normalizes an address for look-ups. */
export const emailKey = (email: string) => email.toLowerCase();

/** Inserts a person; returns false if the address is taken. */
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

/** Returns a person and locks the row until the transaction ends. */
export function lockPerson(db: Queryable, id: string): Promise<PersonRow | undefined> {
  return maybeOne<PersonRow>(db, sql`select ${columns} from people where id = ${id} for no key update`);
}

/** Changes to a person; omitted fields stay as they are. */
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
