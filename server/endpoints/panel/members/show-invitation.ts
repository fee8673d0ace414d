import { ROLES } from '../../../access/roles.ts';
import { findAccount } from '../../../db/queries/access/accounts.ts';
import { findInviter } from '../../../db/queries/access/audit-entries.ts';
import { openInvitation } from '../../../domain/people/invitations.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Input, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { LinkToken } from '../session/sign-in-shape.ts';

export const showInvitation = endpoint({
  audience: 'panel',
  operation: 'showInvitation',
  method: 'POST',
  path: '/invitations/show',
  access: 'public',
  tag: 'member',
  summary: 'Get an invitation before accepting it',
  description: 'Available to anyone with its link. Does not change the invitation.',
  body: Input({ token: LinkToken }),
  data: Shape(
    {
      account: Type.String({ description: 'Name of the account' }),
      role: Enum(ROLES, { examples: ['operator'] }),
      inviter: Nullable(
        Type.String({ description: 'Person who sent it; null if that person no longer exists' }),
      ),
      email: Type.String({ description: 'The address it was sent to', examples: ['ben@example.com'] }),
      expires_at: Timestamp(),
    },
    { $id: 'Invitation', description: 'Details of an invitation' },
  ),
  errors: ['link_invalid', 'invalid_state'],
  async handle({ body, db, services }) {
    const { id, account_id, role, email, expires_at } = await openInvitation(db, services, body.token);
    const account = await findAccount(db, account_id!);
    const inviter = await findInviter(db, id);
    return { data: { account: account!.name, role, inviter: inviter ?? null, email, expires_at } };
  },
});
