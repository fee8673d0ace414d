import type { Transaction } from '../db/database.ts';
import { insertMail } from '../db/queries/mails.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { parseMailAddress } from '../platform/mail-address.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { Locale } from './content.ts';
import type { TemplateName, TemplateValues } from './templates/index.ts';

/** What the values of mails are sealed for. */
export const MAIL_PURPOSE = 'mail';

/** A mail to one person: which one, and what is filled in. */
export type Mail<Name extends TemplateName = TemplateName> = {
  [N in Name]: {
    /** An address as `parseMailAddress` gives it. */
    to: string;
    template: N;
    values: TemplateValues[N];
    locale: Locale;
    /** Whose account it is about. */
    accountId?: string;
    /** What it is about, where one mail about that is enough, such as the id of an event and of a person. */
    dedupeKey?: string;
  };
}[Name];

/** What it takes to write a mail. */
export interface MailParts {
  clock: Clock;
  secrets: SecretBox;
}

/**
 * Has a mail sent once the transaction has committed: by the node that leads, within seconds, again and again if need be.
 * What is filled in is sealed until then, so that a link in it is of use to its recipient alone. Throws where the
 * address is none: it was to be looked at where it came in.
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
