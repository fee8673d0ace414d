import { maybeOne, one, type Queryable, sql } from '../../database.ts';

export interface BillingProfileRow {
  account_id: string;
  kind: 'business' | 'consumer';
  name: string;
  street: string;
  city: string;
  postcode: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string;
  /** Normalized: capitals and digits. */
  vat_id: string | null;
  exempt_reason: string | null;
  /** The customer's own number, printed on documents. */
  order_reference: string | null;
  /** Language of documents; null for that of the account's first owner. */
  language: DocumentLanguage | null;
  /** Addresses that documents are mailed to; if empty, they go to the owners. */
  mail_to: string[];
  updated_at: Date;
}

type DocumentLanguage = 'en' | 'de';

const columns = sql`account_id, kind, name, street, city, postcode, country, vat_id, exempt_reason,
  order_reference, language, mail_to, updated_at`;

/** Returns the recipient of an account's invoices; undefined if there is no profile. */
export function findBillingProfile(db: Queryable, accountId: string): Promise<BillingProfileRow | undefined> {
  return maybeOne(db, sql`select ${columns} from billing_profiles where account_id = ${accountId}`);
}

/** Returns the profiles of those accounts that have one. */
export function findBillingProfiles(db: Queryable, accountIds: string[]): Promise<BillingProfileRow[]> {
  return db.query(sql`select ${columns} from billing_profiles where account_id = any(${accountIds}::text[])`);
}

type Wishes = 'order_reference' | 'language' | 'mail_to';
/** A profile to write. An absent preference for documents is stored as none. */
export type NewProfile = Omit<BillingProfileRow, Wishes> & Partial<Pick<BillingProfileRow, Wishes>>;

/** Replaces the whole billing profile of an account. */
export function putBillingProfile(db: Queryable, row: NewProfile): Promise<BillingProfileRow> {
  const { order_reference = null, language = null, mail_to = [] } = row;
  return one(
    db,
    sql`
    insert into billing_profiles (${columns})
    values (${row.account_id}, ${row.kind}, ${row.name}, ${row.street}, ${row.city}, ${row.postcode}, ${row.country},
      ${row.vat_id}, ${row.exempt_reason}, ${order_reference}, ${language},
      ${JSON.stringify(mail_to)}::text::jsonb, ${row.updated_at})
    on conflict (account_id) do update set kind = excluded.kind, name = excluded.name, street = excluded.street,
      city = excluded.city, postcode = excluded.postcode, country = excluded.country, vat_id = excluded.vat_id,
      exempt_reason = excluded.exempt_reason, order_reference = excluded.order_reference, language = excluded.language,
      mail_to = excluded.mail_to, updated_at = excluded.updated_at
    returning ${columns}`,
  );
}
