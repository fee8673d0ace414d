import type { Transaction } from '../../db/database.ts';
import type { MailTokenRow } from '../../db/queries/access/mail-tokens.ts';
import { findMembership } from '../../db/queries/access/memberships.ts';
import { findPersonByEmail } from '../../db/queries/access/people.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { requireOpen } from '../accounts/account-status.ts';
import { recordAudit } from './audit.ts';
import { addMember } from './create-person.ts';
import { linkInvalid, peekMailToken, useMailToken } from './mail-tokens.ts';

/** Returns the invitation behind a link. Its account is open, and stays open until the transaction ends. */
export async function openInvitation(
  tx: Transaction,
  parts: { clock: Clock; secrets: SecretBox },
  token: string,
): Promise<MailTokenRow> {
  const invitation = await peekMailToken(tx, parts, ['invitation'], token);
  if (!invitation.account_id) throw linkInvalid('unknown');
  await requireOpen(tx, invitation.account_id);
  return invitation;
}

/**
 * Returns the invitation of a new person, whose address is proved by the invitation's mail. Anyone who can already sign
 * in must do that first, and then accept.
 */
export async function requireInvitation(
  tx: Transaction,
  parts: { clock: Clock; secrets: SecretBox },
  token: string,
): Promise<MailTokenRow> {
  const invitation = await openInvitation(tx, parts, token);
  if (await findPersonByEmail(tx, invitation.email))
    throw new ApiError(
      'invalid_state',
      'You have already signed up. Sign in first, then accept the invitation.',
    );
  return invitation;
}

/** Uses up an invitation and makes a person a member with its role; refuses if they are one already. */
export async function acceptInvitation(
  tx: Transaction,
  parts: { clock: Clock; secrets: SecretBox },
  { token, personId, ip }: { token: string; personId: string; ip: string },
): Promise<void> {
  const { clock } = parts;
  const { id, account_id: accountId, role } = await useMailToken(tx, parts, 'invitation', token);
  if (!accountId || !role) throw linkInvalid('unknown');
  if (await findMembership(tx, personId, accountId))
    throw new ApiError('invalid_state', 'You are already a member of this account.');
  await addMember(tx, clock, { personId, accountId, role });
  const entry = { action: 'invitation.accepted' as const, subjectId: id, details: { role } };
  await recordAudit(tx, clock, { accountId, personId, ...entry, ip });
}
