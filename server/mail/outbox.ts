import type { Transaction } from '../db/database.ts';
import { insertMail } from '../db/queries/service/mails.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { parseMailAddress } from '../platform/mail-address.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { Locale } from './content.ts';
import type { TemplateName, TemplateValues } from './templates/index.ts';

/** The purpose for which the values of mails are sealed. */
export const MAIL_PURPOSE = 'mail';

export type Mail<Name extends TemplateName = TemplateName> = {
  [N in Name]: {
    /** An address as returned by `parseMailAddress`. */
    to: string;
    template: N;
    values: TemplateValues[N];
    locale: Locale;
    accountId?: string;
    /** Identifies the subject if one mail about it is enough, for example by the ids of an event and a person. */
    dedupeKey?: string;
  };
}[Name];

export interface MailParts {
  clock: Clock;
  secrets: SecretBox;
}

/**
 * Queues a mail, which the leading node sends within seconds of the commit, with retries. The values are sealed until
 * then, so that a link among them is of use only to the recipient. Throws if `to` is not a parsed address: it must be
 * parsed where it is received.
 */
export async function enqueueMail(
  tx: Transaction,
  { clock, secrets }: MailParts,
  { to, template, values, locale, accountId, dedupeKey }: Mail,
): Promise<void> {
  if (parseMailAddress(to) !== to) throw new Error('a mail needs an address that has been parsed');
  await insertMail(
    tx,
    {
      id: newId('mail', clock),
      account_id: accountId ?? null,
      recipient: to,
      locale,
      template,
      sealed_values: secrets.seal(JSON.stringify(values), MAIL_PURPOSE),
      created_at: clock.now(),
    },
    { dedupeKey },
  );
}
