import { endpoint } from '../../../http/endpoint.ts';
import { CHANGE_KINDS } from '../../../http/panel/change-stream.ts';
import { Enum, Nullable, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const streamChanges = endpoint({
  audience: 'panel',
  operation: 'streamChanges',
  method: 'GET',
  path: '/changes',
  access: 'viewer',
  tag: 'live',
  summary: 'Stream of changes in the account',
  description:
    'Server-sent events that name the objects to read again, without their content. Hints can be lost; after a gap, read everything again. ' +
    'Ends with the session.',
  data: Shape(
    {
      kind: Enum(CHANGE_KINDS, { description: 'Type of the changed object; a job counts as its VM' }),
      id: Nullable(Type.String({ description: 'Identifier of the object, if there are several' })),
    },
    { $id: 'Change', description: 'A change in the account' },
  ),
  streams: true,
  errors: [],
  async handle({ caller, session, services: { changes }, hangUp }) {
    const whose = { accountId: caller.accountId, sessionId: session.id };
    const readable = changes.open(whose, hangUp());
    return { stream: () => readable };
  },
});
