import { listSessions as readSessions } from '../../../db/queries/access/sessions.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Id, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { deviceOf } from '../shared/device.ts';

const SessionEntry = Shape(
  {
    id: Id('ses'),
    current: Type.Boolean({ description: 'True for the current session' }),
    ip: Type.String({ description: 'Address at sign-in' }),
    device: Type.String({ description: 'Browser and system, as far as they are known' }),
    user_agent: Type.String({ description: 'Browser and operating system' }),
    created_at: Timestamp(),
    last_used_at: Timestamp('To the minute'),
    expires_at: Timestamp('Latest possible end'),
  },
  { $id: 'SessionEntry', description: 'A session of a browser' },
);

export const listSessions = endpoint({
  audience: 'panel',
  operation: 'listSessions',
  method: 'GET',
  path: '/sessions',
  access: 'person',
  tag: 'session',
  summary: 'List the sessions of the person',
  data: Type.Array(SessionEntry),
  errors: [],
  async handle({ db, session, now }) {
    const rows = await readSessions(db, session.personId, now);
    return {
      data: rows.map((row) => ({
        id: row.id,
        current: row.id === session.id,
        ip: row.ip,
        device: deviceOf(row.user_agent),
        user_agent: row.user_agent,
        created_at: row.created_at,
        last_used_at: row.last_seen_at,
        expires_at: row.expires_at,
      })),
    };
  },
});
