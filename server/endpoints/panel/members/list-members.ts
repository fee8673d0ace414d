import { listInvitations } from '../../../db/queries/access/mail-tokens.ts';
import { listMembers as readMembers } from '../../../db/queries/access/memberships.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Type } from '../../../platform/schema.ts';
import { MemberShape, presentInvitation, presentMember } from './member-shape.ts';

export const listMembers = endpoint({
  audience: 'panel',
  operation: 'listMembers',
  method: 'GET',
  path: '/members',
  access: 'viewer',
  tag: 'member',
  summary: 'Members of the account and pending invitations',
  data: Type.Array(MemberShape),
  errors: [],
  async handle({ caller, db, now }) {
    const [members, invitations] = [
      await readMembers(db, caller.accountId),
      await listInvitations(db, caller.accountId, now),
    ];
    return { data: [...members.map(presentMember), ...invitations.map(presentInvitation)] };
  },
});
