import type { Database } from '../../db/database.ts';
import { KEY_EXPIRY, listExpiringKeys } from '../../db/queries/access/api-keys.ts';
import { localeOf } from '../../mail/content.ts';
import { enqueueMail } from '../../mail/outbox.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SecretBox } from '../../platform/secrets.ts';

/** Time to create another key and put it in place of the old one. */
const AHEAD_DAYS = 7;
const DAY_MS = 86_400_000;
/** Mails per round, all in one transaction. */
const A_ROUND = 200;

/** Mails the owners of an account, once per key, before the key expires. */
export async function warnOfKeyExpiry({
  db,
  clock,
  secrets,
}: {
  db: Database;
  clock: Clock;
  secrets: SecretBox;
}): Promise<void> {
  const now = clock.now();
  const until = new Date(now.getTime() + AHEAD_DAYS * DAY_MS);
  await db.transaction(async (tx) => {
    for (const key of await listExpiringKeys(tx, { now, until, limit: A_ROUND })) {
      await enqueueMail(
        tx,
        { clock, secrets },
        {
          to: key.email,
          template: 'key_expiry',
          locale: localeOf(key.locale),
          accountId: key.account_id,
          dedupeKey: `${KEY_EXPIRY} ${key.id} ${key.person_id}`,
          values: {
            label: key.name,
            hint: key.hint,
            expiresAt: key.expires_at.toISOString(),
            account: key.account_name,
          },
        },
      );
    }
  });
}
