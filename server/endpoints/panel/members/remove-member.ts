import { revokeInvitation } from '../../../db/queries/access/mail-tokens.ts';
import { deleteMembership, findMember } from '../../../db/queries/access/memberships.ts';
import { requireOpen } from '../../../domain/accounts/account-status.ts';
import { recordAudit } from '../../../domain/people/audit.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Shape } from '../../../http/schemas.ts';
import { ApiError, notFound } from '../../../platform/errors.ts';
import { MemberParams, requireOtherOwner, tellRightsChanged } from './member-shape.ts';

export const removeMember = endpoint({
  audience: 'panel',
  operation: 'removeMember',
  method: 'DELETE',
  path: '/members/{id}',
  access: 'viewer',
  confirm: true,
  whileSuspended: true,
  tag: 'member',
  summary: 'Remove a member, leave the account, or withdraw an invitation',
  description:
    'Owners can remove anyone, others only themselves. Their terminals and share links end at once.',
  params: MemberParams,
  data: Shape({}),
  errors: ['invalid_state'],
  async handle({ params, caller, session, db, now, browser, services: { clock, signals } }) {
    const { accountId } = caller;
    await requireOpen(db, accountId);
    const isOwner = session.place!.role === 'owner';
    const record = (action: 'invitation.revoked' | 'member.removed', subjectId: string, details = {}) =>
      recordAudit(db, clock, {
        accountId,
        personId: session.personId,
        action,
        subjectId,
        details,
        ip: browser.ip,
      });
    const member = await findMember(db, accountId, params.id);
    if (!isOwner && member?.person_id !== session.personId)
      throw new ApiError('role_required', 'Only an owner may remove others.', {
        role: session.place!.role,
        required_role: 'owner',
      });
    if (member) {
      await requireOtherOwner(db, member);
      await deleteMembership(db, member.id);
      await tellRightsChanged(db, signals, member.person_id);
      await record('member.removed', member.person_id, { email: member.email });
    } else {
      if (!(await revokeInvitation(db, accountId, params.id, now))) throw notFound();
      await record('invitation.revoked', params.id);
    }
    return { data: {} };
  },
});
