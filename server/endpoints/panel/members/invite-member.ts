import { ROLES } from '../../../access/roles.ts';
import { findAccount } from '../../../db/queries/access/accounts.ts';
import { listInvitations, revokeInvitation } from '../../../db/queries/access/mail-tokens.ts';
import { listMembers } from '../../../db/queries/access/memberships.ts';
import { emailKey, findPerson } from '../../../db/queries/access/people.ts';
import { requireOpen } from '../../../domain/accounts/account-status.ts';
import { recordAudit } from '../../../domain/people/audit.ts';
import { issueMailToken } from '../../../domain/people/mail-tokens.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Input } from '../../../http/schemas.ts';
import { localeOf } from '../../../mail/content.ts';
import { enqueueMail } from '../../../mail/outbox.ts';
import { ApiError, invalidField } from '../../../platform/errors.ts';
import { addressOf, Email } from '../shared/inputs.ts';
import { linkTo } from '../shared/mails.ts';
import { MemberShape, presentInvitation } from './member-shape.ts';

/** Members and invitations of one account. */
const MOST_MEMBERS = 100;

export const inviteMember = endpoint({
  audience: 'panel',
  operation: 'inviteMember',
  method: 'POST',
  path: '/members',
  access: 'owner',
  confirm: true,
  tag: 'member',
  summary: 'Invite a person to the account',
  description:
    'Sends a mail that is valid for a week. A new invitation to the same address replaces an earlier one.',
  body: Input({ email: Email, role: Enum(ROLES, { examples: ['operator'] }) }),
  data: MemberShape,
  errors: ['quota_exceeded', 'invalid_state'],
  async prepare({ body, caller, services: { attempts } }) {
    await attempts.take('invite', caller.accountId);
    return addressOf(body.email);
  },
  async handle({ body, caller, session, db, now, browser, services, prepared: email }) {
    const { accountId } = caller;
    await requireOpen(db, accountId);
    const [members, invitations] = [
      await listMembers(db, accountId),
      await listInvitations(db, accountId, now),
    ];
    if (members.some((member) => emailKey(member.email) === emailKey(email)))
      throw invalidField('email', 'in_use', 'is already a member');
    const used = members.length + invitations.length;
    if (used >= MOST_MEMBERS)
      throw new ApiError('quota_exceeded', 'The account has reached its maximum number of members.', {
        resource: 'members',
        limit: MOST_MEMBERS,
        used,
      });
    for (const { id, email: invited } of invitations)
      if (emailKey(invited) === emailKey(email)) await revokeInvitation(db, accountId, id, now);
    const place = { accountId, role: body.role };
    const { id, token, expiresAt } = await issueMailToken(db, services, {
      purpose: 'invitation',
      email,
      place,
    });
    const inviter = await findPerson(db, session.personId);
    const account = await findAccount(db, accountId);
    await enqueueMail(db, services, {
      to: email,
      template: 'invitation',
      locale: localeOf(inviter!.locale),
      accountId,
      values: {
        url: linkTo(services, 'invitation', token),
        expiresAt: expiresAt.toISOString(),
        account: account!.name,
        inviter: inviter!.name || inviter!.email,
      },
    });
    await recordAudit(db, services.clock, {
      accountId,
      personId: session.personId,
      action: 'invitation.sent',
      subjectId: id,
      details: { email, role: body.role },
      ip: browser.ip,
    });
    return { data: presentInvitation({ id, email, role: body.role, created_at: now }) };
  },
});
