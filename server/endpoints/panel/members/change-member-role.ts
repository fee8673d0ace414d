import { ROLES } from '../../../access/roles.ts';
import { findMember, setRole } from '../../../db/queries/access/memberships.ts';
import { requireOpen } from '../../../domain/accounts/account-status.ts';
import { recordAudit } from '../../../domain/people/audit.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Input } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import {
  MemberParams,
  MemberShape,
  presentMember,
  requireOtherOwner,
  tellRightsChanged,
} from './member-shape.ts';

export const changeMemberRole = endpoint({
  audience: 'panel',
  operation: 'changeMemberRole',
  method: 'PATCH',
  path: '/members/{id}',
  access: 'owner',
  confirm: true,
  tag: 'member',
  summary: 'Change the role of a member',
  description: 'Keys created by the member do not change, because they belong to the account.',
  params: MemberParams,
  body: Input({ role: Enum(ROLES, { examples: ['viewer'] }) }),
  data: MemberShape,
  errors: ['invalid_state'],
  async load({ caller, params, db }) {
    const member = await findMember(db, caller.accountId, params.id);
    if (!member) throw notFound();
    return member;
  },
  async handle({ resource, body: { role }, caller, session, db, browser, services: { clock, signals } }) {
    await requireOpen(db, caller.accountId);
    if (role !== 'owner') await requireOtherOwner(db, resource);
    await setRole(db, resource.id, role);
    await tellRightsChanged(db, signals, resource.person_id);
    await recordAudit(db, clock, {
      accountId: caller.accountId,
      personId: session.personId,
      action: 'member.role_changed',
      subjectId: resource.person_id,
      details: { email: resource.email, from: resource.role, to: role },
      ip: browser.ip,
    });
    return { data: presentMember({ ...resource, role }) };
  },
});
