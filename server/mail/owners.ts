import type { Transaction } from '../db/database.ts';
import { type AccountOwnerRow, ownersOf } from '../db/queries/access/account-owners.ts';
import { insertMail, lockCollecting, setMailValues } from '../db/queries/service/mails.ts';
import { newId } from '../platform/ids.ts';
import { localeOf } from './content.ts';
import { enqueueMail, MAIL_PURPOSE, type Mail, type MailParts } from './outbox.ts';
import type { TemplateName, TemplateValues } from './templates/index.ts';
import { MAX_LISTED, type VmNotice, type VmNotices } from './templates/vms.ts';

/** A mail about a VM waits this long to collect notices about other VMs. */
const COLLECT_MS = 120_000;

export type VmMailName = {
  [N in TemplateName]: TemplateValues[N] extends VmNotices ? N : never;
}[TemplateName];

/**
 * Mails the owners of an account, each in their own language; does nothing if it has none, for example if it has only
 * API keys.
 */
export async function mailOwners<N extends TemplateName>(
  tx: Transaction,
  parts: MailParts,
  accountId: string,
  template: N,
  values: (account: string) => TemplateValues[N],
): Promise<void> {
  for (const { email, locale, account_name } of await ownersOf(tx, accountId)) {
    const mail = { to: email, locale: localeOf(locale), accountId, template, values: values(account_name) };
    await enqueueMail(tx, parts, mail as Mail);
  }
}

/**
 * Notifies the owners of an account about one of its VMs. Notices about several VMs within two minutes share one mail:
 * an empty wallet may leave fifty VMs unpaid at once. `group` separates notices that must not share one, such as those
 * for different days.
 */
export async function mailVmNotice(
  tx: Transaction,
  parts: MailParts,
  accountId: string,
  { template, group = '', notice }: { template: VmMailName; group?: string; notice: VmNotice },
): Promise<void> {
  for (const owner of await ownersOf(tx, accountId)) {
    const key = ['vms', template, group, accountId, owner.person_id].join(' ');
    // If another transaction starts the same mail in the meantime, this one waits for it and then adds to its mail.
    const isTold =
      (await addTo(tx, parts, key, notice)) ||
      (await begin(tx, parts, { owner, accountId, template, key, notice })) ||
      (await addTo(tx, parts, key, notice));
    if (!isTold) throw new Error('a mail was sent while content was being added to it');
  }
}

/** Adds to a mail that is being collected; returns false if there is none. */
async function addTo(
  tx: Transaction,
  { secrets }: MailParts,
  key: string,
  notice: VmNotice,
): Promise<boolean> {
  const begun = await lockCollecting(tx, key);
  if (!begun) return false;
  const values: VmNotices = JSON.parse(secrets.open(begun.sealed_values, MAIL_PURPOSE));
  const sealed = secrets.seal(JSON.stringify(withNotice(values, notice)), MAIL_PURPOSE);
  await setMailValues(tx, begun.id, sealed);
  return true;
}

function withNotice({ vms, more = 0, ...rest }: VmNotices, notice: VmNotice): VmNotices {
  if (vms.length >= MAX_LISTED) return { ...rest, vms, more: more + 1 };
  return { ...rest, vms: [...vms, notice], more };
}

interface Beginning {
  owner: AccountOwnerRow;
  accountId: string;
  template: VmMailName;
  key: string;
  notice: VmNotice;
}

/** Starts a mail; returns false if another transaction has started the same one. */
function begin(
  tx: Transaction,
  { clock, secrets }: MailParts,
  { owner, accountId, template, key, notice }: Beginning,
): Promise<boolean> {
  const values: VmNotices = { account: owner.account_name, vms: [notice] };
  const now = clock.now();
  const row = {
    id: newId('mail', clock),
    account_id: accountId,
    recipient: owner.email,
    locale: localeOf(owner.locale),
    template,
    sealed_values: secrets.seal(JSON.stringify(values), MAIL_PURPOSE),
    created_at: now,
  };
  return insertMail(tx, row, { collectKey: key, notBefore: new Date(now.getTime() + COLLECT_MS) });
}
