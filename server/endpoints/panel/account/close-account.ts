import type { Queryable } from '../../../db/database.ts';
import { findAccount } from '../../../db/queries/access/accounts.ts';
import { closeAccount as close } from '../../../domain/accounts/account-status.ts';
import { formatMinor, toJsonInteger } from '../../../domain/billing/money.ts';
import { recordAudit } from '../../../domain/people/audit.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Shape } from '../../../http/schemas.ts';
import { ApiError, invalidField, notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';

export const closeAccount = endpoint({
  audience: 'panel',
  operation: 'closeAccount',
  method: 'POST',
  path: '/account/close',
  access: 'owner',
  confirm: true,
  tag: 'account',
  summary: 'Close the account permanently',
  description:
    'Refused while it has VMs, money or a debt, which are listed in `details`. Its keys are revoked; invoices are kept as required by law.',
  body: Input({
    name: Type.String({
      maxLength: 200,
      description: 'The name of the account, as a confirmation',
      examples: ['Example Ltd'],
    }),
  }),
  data: Shape({}),
  errors: ['invalid_state'],
  async handle({ body, caller, session, db, browser, services: { clock, signals } }) {
    const { accountId } = caller;
    await requireEmpty(db, accountId, body.name);
    const { rightIds } = await close(db, clock, accountId);
    for (const id of rightIds) await signals.accessEnded(db, id);
    await recordAudit(db, clock, {
      accountId,
      personId: session.personId,
      action: 'account.closed',
      subjectId: accountId,
      ip: browser.ip,
    });
    return { data: {} };
  },
});

// biome-ignore lint/style/noRestrictedGlobals: the commas of a sentence
const LIST = new Intl.ListFormat('en');

/**
 * Refuses an account that is not empty and says why, for customers, who cannot book money as the operator can. The
 * binding check is the one in `close`.
 */
async function requireEmpty(db: Queryable, accountId: string, name: string): Promise<void> {
  const account = await findAccount(db, accountId);
  if (!account) throw notFound();
  if (name.trim() !== account.name) throw invalidField('name', 'incorrect', 'is not the name of the account');
  const balance = account.available_minor + account.held_minor;
  const vms = Number(account.vm_count);
  const { claimed_minor: claimed, currency } = account;
  if (vms === 0 && balance === 0n && claimed === 0n) return;
  const obstacles = [
    ...(vms > 0 ? [`${vms} VM${vms === 1 ? '' : 's'}, which you can delete`] : []),
    ...(balance > 0n ? ['money in the wallet, which support can refund'] : []),
    ...(claimed > 0n ? [`a debt of ${formatMinor(claimed, currency)}, which a top-up pays`] : []),
  ];
  throw new ApiError('invalid_state', `The account still has ${LIST.format(obstacles)}.`, {
    vm_count: vms,
    balance_minor: toJsonInteger(balance),
    claimed_minor: toJsonInteger(claimed),
    currency,
  });
}
