import { EVENT_TYPES } from '../../../db/enums.ts';
import { listEvents } from '../../../db/queries/service/events.ts';
import { systemFindVmView } from '../../../db/queries/vms/operator-vms.ts';
import { listSnapshots } from '../../../db/queries/vms/snapshots.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Shape, Timestamp, VmParams } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { presentSnapshot, SnapshotShape } from '../../customer/snapshots/snapshot-shape.ts';
import { presentVm, vmFields } from './vm-shape.ts';

/** Events shown with a VM: the last few days of an ordinary one. */
const EVENTS_SHOWN = 10;
/** More than any catalog allows a VM to have. */
const SNAPSHOTS_SHOWN = 100;

const VmEventShape = Shape(
  {
    type: Enum(EVENT_TYPES, { $id: 'EventType', description: 'Subject of an event' }),
    level: Enum(['info', 'warning', 'error']),
    message: Type.String(),
    created_at: Timestamp(),
  },
  { $id: 'VmEvent', description: 'An entry of the event log of a VM' },
);

export const getVm = endpoint({
  audience: 'operator',
  operation: 'getVm',
  method: 'GET',
  path: '/vms/{id}',
  tag: 'vm',
  summary: 'Get a VM with its snapshots and its latest events',
  params: VmParams,
  data: Shape(
    { ...vmFields, snapshots: Type.Array(SnapshotShape), events: Type.Array(VmEventShape) },
    { $id: 'VmDetails', description: 'A VM with its snapshots and its latest events' },
  ),
  errors: [],
  async handle({ params: { id }, services: { db } }) {
    const vm = await systemFindVmView(db, id);
    if (!vm) throw notFound();
    const events = await listEvents(db, id, {}, { limit: EVENTS_SHOWN, afterId: null });
    const snapshots = await listSnapshots(db, id, { limit: SNAPSHOTS_SHOWN, afterId: null });
    return {
      data: {
        ...presentVm(vm),
        snapshots: snapshots.slice(0, SNAPSHOTS_SHOWN).map(presentSnapshot),
        events: events
          .slice(0, EVENTS_SHOWN)
          .map(({ type, level, message, created_at }) => ({ type, level, message, created_at })),
      },
    };
  },
});
