import type { Transaction } from '../db/database.ts';
import { contactsOf, ownersOf } from '../db/queries/access/account-owners.ts';
import { localeOf } from './content.ts';
import { enqueueMail, type Mail, type MailParts } from './outbox.ts';
import type { TemplateName, TemplateValues } from './templates/index.ts';

/**
 * Mails the recipients of an account's documents: the addresses in its billing profile, in the language of its
 * documents, or if there are none its owners, each in their own language. `key` identifies the subject of the mail: it
 * is written once, even if the recipients have changed by then.
 */
export async function mailBilling<N extends TemplateName>(
  tx: Transaction,
  parts: MailParts,
  accountId: string,
  template: N,
  key: string,
  values: (account: string) => TemplateValues[N],
): Promise<void> {
  const contacts = await contactsOf(tx, accountId);
  const recipients = contacts.length > 0 ? contacts : await ownersOf(tx, accountId);
  for (const [index, { email, locale, account_name }] of recipients.entries()) {
    const dedupeKey = `${key} ${index}`;
    const mail = { to: email, locale: localeOf(locale), accountId, template, dedupeKey };
    await enqueueMail(tx, parts, { ...mail, values: values(account_name) } as Mail);
  }
}
