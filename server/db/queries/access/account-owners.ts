import { type Queryable, sql } from '../../database.ts';

/** A recipient of mails about an account. */
export interface AccountOwnerRow {
  person_id: string;
  email: string;
  locale: string;
  account_name: string;
}

/** Returns the addresses that the billing profile names for an account's documents, with the documents' language. */
export function contactsOf(
  db: Queryable,
  accountId: string,
): Promise<Pick<AccountOwnerRow, 'email' | 'locale' | 'account_name'>[]> {
  return db.query(sql`
    select contact.email, accounts.name as account_name, coalesce(language, (
      select locale from memberships join people on people.id = person_id
      where memberships.account_id = accounts.id and role = 'owner' order by people.id limit 1
    ), 'en') as locale
    from billing_profiles join accounts on accounts.id = account_id,
      jsonb_array_elements_text(mail_to) with ordinality as contact (email, position)
    where account_id = ${accountId} order by position`);
}

/** Returns the owners of an account whose email addresses are verified. */
export function ownersOf(db: Queryable, accountId: string): Promise<AccountOwnerRow[]> {
  return db.query<AccountOwnerRow>(sql`
    select p.id as person_id, p.email, p.locale, a.name as account_name
    from memberships m join people p on p.id = m.person_id join accounts a on a.id = m.account_id
    where m.account_id = ${accountId} and m.role = 'owner' and p.email_verified_at is not null order by p.id`);
}
