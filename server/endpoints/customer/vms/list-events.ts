import { EVENT_TYPES } from '../../../db/enums.ts';
import { type EventRow, listEvents as queryEvents } from '../../../db/queries/service/events.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Enum, Id, Nullable, PageQuery, Shape, Timestamp, VmParams } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { InstantInput, instantFrom } from '../shared/instant-query.ts';
import { loadVm } from './load-vm.ts';

const EventShape = Shape(
  {
    id: Id('evt'),
    type: Enum(EVENT_TYPES, { $id: 'EventType', description: 'Type of the event; more types may be added' }),
    level: Enum(['info', 'warning', 'error'], { $id: 'EventLevel' }),
    message: Type.String(),
    actor: Shape(
      {
        type: Enum(['user', 'api_key', 'system'], { $id: 'ActorType' }),
        id: Nullable(Type.String({ description: 'Identifier of the API key' })),
        ip: Nullable(Type.String({ description: 'Address the caller came from' })),
      },
      { $id: 'EventActor', description: 'The cause of an event' },
    ),
    job_id: Nullable(Id('job')),
    metadata: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: 'Details that depend on the type',
    }),
    created_at: Timestamp(),
  },
  { $id: 'VmEvent', description: 'An entry of the event log of a VM' },
);

function presentEvent(event: EventRow) {
  return {
    id: event.id,
    type: event.type,
    level: event.level,
    message: event.message,
    actor: { type: event.actor_type, id: event.actor_id, ip: event.actor_ip },
    job_id: event.job_id,
    metadata: event.metadata,
    created_at: event.created_at,
  };
}

export const listEvents = endpoint({
  audience: 'customer',
  operation: 'listEvents',
  method: 'GET',
  path: '/v1/vm/{id}/events',
  scope: 'vm:read',
  tag: 'vm',
  summary: 'List the event log of a VM',
  description: 'Newest first. `from` is inclusive, `to` exclusive.',
  params: VmParams,
  query: Type.Object({
    ...PageQuery,
    type: Type.Optional(Enum(EVENT_TYPES, { $id: 'EventType', description: 'Only events of this type' })),
    from: Type.Optional(InstantInput('Only events at this time or later')),
    to: Type.Optional(InstantInput('Only events before this time')),
  }),
  data: Type.Array(EventShape),
  paginated: true,
  errors: ['invalid_cursor'],
  example: [
    {
      id: 'evt_01ke1y3ts4b6n8q0w2x4z6c8d1',
      type: 'vm.created',
      level: 'info',
      message: 'VM web-1 was created.',
      actor: { type: 'system', id: null, ip: null },
      job_id: 'job_01ke1y3m8q4v7w2x9z5b6c8d0f',
      metadata: { plan: 's1', template: 'debian-12' },
      created_at: '2026-01-05T09:30:04.000Z',
    },
  ],
  load: loadVm,
  async handle({ resource, query, db }) {
    const page = pageFrom(query);
    const filter = { type: query.type, from: instantFrom(query.from), to: instantFrom(query.to) };
    return paginated(await queryEvents(db, resource.id, filter, page), page, presentEvent);
  },
});
