import type { Database } from '../../db/database.ts';
import { expiringCredits } from '../../db/queries/money/credit-notices.ts';
import { toJsonInteger } from '../../domain/billing/money.ts';
import { mailBilling } from '../../mail/billing-contacts.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SecretBox } from '../../platform/secrets.ts';

interface NoticeServices {
  clock: Clock;
  db: Database;
  secrets: SecretBox;
}

const DAY_MS = 86_400_000;
/**
 * Days before the expiry of unused credit at which its account is notified. Must stay well below the number of days
 * that sent mails are kept.
 */
const NOTICE_DAYS = 7;

/**
 * Notifies accounts of promotional credit that will expire within a week, once per credit. Returns the number of
 * credits processed.
 */
export async function noticeExpiringCredits(services: NoticeServices, limit: number): Promise<number> {
  const { db, clock } = services;
  const now = clock.now();
  const until = new Date(now.getTime() + NOTICE_DAYS * DAY_MS);
  const credits = await expiringCredits(db, { now, until, noticeDays: NOTICE_DAYS }, limit);
  for (const { id, account_id, remaining_minor, currency, expires_at } of credits)
    await db.transaction((tx) =>
      mailBilling(tx, services, account_id, 'credit_expiring', `credit_expiring ${id}`, (account) => ({
        ...{ account, currency, amountMinor: toJsonInteger(remaining_minor) },
        expiresAt: expires_at.toISOString(),
      })),
    );
  return credits.length;
}
