import { type Queryable, sql } from '../database.ts';

/** A person who is written to about an account. */
export interface AccountOwnerRow {
  person_id: string;
  email: string;
  locale: string;
  account_name: string;
}

/** The owners of an account whose addresses are known to be theirs. */
export function ownersOf(db: Queryable, accountId: string): Promise<AccountOwnerRow[]> {
  return db.query<AccountOwnerRow>(sql`
    select p.id as person_id, p.email, p.locale, a.name as account_name
    from memberships m join people p on p.id = m.person_id join accounts a on a.id = m.account_id
    where m.account_id = ${accountId} and m.role = 'owner' and p.email_verified_at is not null order by p.id`);
}
