import { listOperatorLog } from '../../../db/queries/service/operator-log.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Id, Input, Nullable, PageQuery, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

const LogEntryShape = Shape(
  {
    id: Id('olg'),
    uid: Nullable(Type.Integer()),
    pid: Nullable(Type.Integer()),
    user_name: Nullable(Type.String()),
    login_name: Nullable(Type.String({ description: 'User who signed in, if different' })),
    email: Nullable(Type.String({ description: 'An operator signed in to the pages, instead of a process' })),
    ip: Nullable(Type.String({ description: 'IP address of that operator' })),
    request: Type.String({ description: 'Method and path' }),
    input: Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'The body of the request' }),
    created_at: Timestamp(),
    status: Nullable(
      Type.Integer({ description: 'HTTP status of the response; null if it was interrupted' }),
    ),
  },
  { $id: 'LogEntry', description: 'An action of an operator, and its result' },
);

/** Read-only, both in the API and in the store. */
export const listLog = endpoint({
  audience: 'operator',
  operation: 'listLog',
  method: 'GET',
  path: '/log',
  tag: 'service',
  summary: 'List the actions of operators',
  query: Input(PageQuery),
  data: Type.Array(LogEntryShape),
  paginated: true,
  errors: [],
  async handle({ query, services: { db } }) {
    const page = pageFrom(query);
    return paginated(await listOperatorLog(db, page), page, (row) => row);
  },
});
