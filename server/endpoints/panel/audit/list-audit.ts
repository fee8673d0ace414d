import { type AuditView, listAuditEntries } from '../../../db/queries/access/audit-entries.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Id, Nullable, PageQuery, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

const AuditEntryShape = Shape(
  {
    id: Id('aud'),
    at: Timestamp(),
    actor: Type.String({ description: 'Email address of the actor; empty for the service itself' }),
    action: Type.String({ description: 'The action, such as `key.created`' }),
    target: Nullable(Type.String({ description: 'Identifier of the changed object' })),
    details: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'Details of the action',
    }),
    ip: Nullable(Type.String()),
  },
  { $id: 'AuditEntry', description: 'An action on an account or in its name' },
);

const present = (entry: AuditView) => ({
  id: entry.id,
  at: entry.created_at,
  actor: entry.person_email ?? '',
  action: entry.action,
  target: entry.subject_id,
  details: entry.details,
  ip: entry.ip,
});

export const listAudit = endpoint({
  audience: 'panel',
  operation: 'listAudit',
  method: 'GET',
  path: '/audit',
  access: 'owner',
  tag: 'account',
  summary: 'Actions in the account, newest first',
  description:
    'Returns sign-ins and changes of keys, members and security. Actions on a VM are in its events.',
  query: Type.Object(PageQuery),
  data: Type.Array(AuditEntryShape),
  paginated: true,
  errors: [],
  async handle({ caller, db, query }) {
    const page = pageFrom(query);
    return paginated(await listAuditEntries(db, caller.accountId, page), page, present);
  },
});
