import { ROLES } from '../../../access/roles.ts';
import { listMembers as read } from '../../../db/queries/access/memberships.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Id, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { AccountParams } from './account-shape.ts';
import { requireAccount } from './require-account.ts';

export const listMembers = endpoint({
  audience: 'operator',
  operation: 'listMembers',
  method: 'GET',
  path: '/accounts/{id}/members',
  tag: 'account',
  summary: 'List the members of an account, oldest membership first',
  params: AccountParams,
  data: Type.Array(
    Shape(
      {
        person_id: Id('prs'),
        email: Type.String(),
        name: Nullable(Type.String()),
        role: Enum(ROLES),
        created_at: Timestamp('Member since'),
      },
      { $id: 'AccountMember', description: 'A member of an account' },
    ),
  ),
  errors: [],
  async handle({ params: { id }, services: { db } }) {
    await requireAccount(db, id);
    const rows = await read(db, id);
    const data = rows.map(({ person_id, email, name, role, created_at }) => {
      return { person_id, email, name: name || null, role, created_at };
    });
    return { data };
  },
});
