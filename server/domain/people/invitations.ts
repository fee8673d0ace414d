import type { Transaction } from '../../db/database.ts';
import type { MailTokenRow } from '../../db/queries/mail-tokens.ts';
import { findMembership } from '../../db/queries/memberships.ts';
import { emailKey, findPersonByEmail } from '../../db/queries/people.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError, invalidField } from '../../platform/errors.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { requireOpen } from '../accounts/account-status.ts';
import { recordAudit } from './audit.ts';
import { addMember } from './create-person.ts';
import { linkInvalid, peekMailToken, useMailToken } from './mail-tokens.ts';

/** Uses an invitation up, to an account that is open and stays so until the transaction ends. */
export async function takeInvitation(
  tx: Transaction,
  parts: { clock: Clock; secrets: SecretBox },
  token: string,
): Promise<MailTokenRow> {
  const seen = await peekMailToken(tx, parts, 'invitation', token);
  if (!seen?.account_id) throw linkInvalid();
  await requireOpen(tx, seen.account_id);
  return useMailToken(tx, parts, 'invitation', token);
}

/**
 * Uses an invitation up for somebody new, whose address its mail has proved to be theirs. Who can sign in already does
 * that first, and accepts then.
 */
export async function requireInvitation(
  tx: Transaction,
  parts: { clock: Clock; secrets: SecretBox },
  token: string,
  email: string,
): Promise<MailTokenRow> {
  const invitation = await takeInvitation(tx, parts, token);
  if (emailKey(invitation.email) !== emailKey(email))
    throw invalidField('email', 'not_invited', 'is not the address that was invited');
  if (await findPersonByEmail(tx, email))
    throw new ApiError(
      'invalid_state',
      'You have signed up before: sign in, and accept the invitation then.',
    );
  return invitation;
}

/** Makes a person a member, as an invitation says that was used up for them. */
export async function acceptInvitation(
  tx: Transaction,
  { clock }: { clock: Clock },
  { invitation, personId, ip }: { invitation: MailTokenRow; personId: string; ip: string },
): Promise<void> {
  const { account_id: accountId, role } = invitation;
  if (!accountId || !role) throw linkInvalid();
  if (await findMembership(tx, personId, accountId))
    throw new ApiError('invalid_state', 'You are a member of this account already.');
  await addMember(tx, clock, { personId, accountId, role });
  await recordAudit(tx, clock, {
    accountId,
    personId,
    action: 'invitation.accepted',
    subjectId: invitation.id,
    details: { role },
    ip,
  });
}
