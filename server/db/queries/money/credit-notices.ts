import { type Queryable, sql } from '../../database.ts';

/** Promotional credit about to expire, whose account has to be notified. */
export interface ExpiringCredit {
  id: string;
  account_id: string;
  remaining_minor: bigint;
  currency: string;
  expires_at: Date;
}

/**
 * Returns credit that expires by `until` and has not been announced, for accounts with someone to mail. Credit that was
 * granted for `noticeDays` or less is left out: the mail that granted it gave its expiry.
 */
export function expiringCredits(
  db: Queryable,
  { now, until, noticeDays }: { now: Date; until: Date; noticeDays: number },
  limit: number,
): Promise<ExpiringCredit[]> {
  return db.query<ExpiringCredit>(sql`
    select credit.id, account_id, remaining_minor, accounts.currency, expires_at
    from promo_credits credit join accounts on accounts.id = account_id
    where remaining_minor > 0 and revoked_at is null and expires_at > ${now} and expires_at <= ${until}
      and expires_at - credit.created_at > make_interval(days => ${noticeDays}::int)
      and not exists (select 1 from mails where dedupe_key = 'credit_expiring ' || credit.id || ' 0')
      and (
        exists (select 1 from billing_profiles where billing_profiles.account_id = credit.account_id and mail_to <> '[]')
        or exists (
          select 1 from memberships join people on people.id = person_id
          where memberships.account_id = credit.account_id and role = 'owner' and email_verified_at is not null)
      )
    order by expires_at, credit.id limit ${limit}`);
}
