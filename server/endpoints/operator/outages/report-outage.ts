import { insertOutage, type OutageRow } from '../../../db/queries/hosts/outages.ts';
import { systemFindVm } from '../../../db/queries/vms/vms.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Timestamp } from '../../../http/schemas.ts';
import { invalidField } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { Type } from '../../../platform/schema.ts';
import { Reason, requireReadable } from '../shared/input.ts';
import { Key, ONCE_ERRORS, once } from '../shared/once.ts';
import { OutageShape, presentOutage } from './outage-shape.ts';

export const reportOutage = endpoint({
  audience: 'operator',
  operation: 'reportOutage',
  method: 'POST',
  path: '/outages',
  tag: 'money',
  summary: 'Report that a region or a VM was unavailable',
  description: 'This does not credit anything yet.',
  body: Input({
    region: Type.Optional(Type.String({ description: 'Its code in the catalog, or…' })),
    vm_id: Type.Optional(Type.String({ description: '…one VM' })),
    from: Timestamp('Start'),
    to: Timestamp('End'),
    reason: Reason,
    key: Key,
  }),
  data: OutageShape,
  errors: [...ONCE_ERRORS],
  async handle({ body, actor, services: { catalog, clock, db, documents, logger } }) {
    const { reason } = body;
    requireReadable('reason', reason);
    // The credits for the outage print the reason on documents.
    await documents.requirePrintable({ reason });
    const data = await db.transaction((tx) =>
      once(tx, clock, { path: '/outages', body }, async () => {
        const now = clock.now();
        const span = spanOf(body, now);
        const { region = null, vm_id = null } = body;
        if ((region === null) === (vm_id === null))
          throw invalidField(
            'region',
            region === null ? 'required' : 'conflict',
            'give either region or vm_id',
          );
        if (region !== null && !catalog.regions.some(({ code }) => code === region))
          throw invalidField('region', 'not_found', 'is not a region of the catalog');
        if (vm_id !== null && !(await systemFindVm(tx, vm_id)))
          throw invalidField('vm_id', 'not_found', 'is not a VM');
        const id = newId('out', clock);
        return presentOutage(
          await insertOutage(tx, { id, region, vm_id, ...span, reason, actor, created_at: now }),
        );
      }),
    );
    logger.info({ outage_id: data.id }, 'outage reported');
    return { data };
  },
});

function spanOf(body: { from: string; to: string }, now: Date): Pick<OutageRow, 'from_at' | 'to_at'> {
  const [from_at, to_at] = [new Date(body.from), new Date(body.to)];
  if (to_at <= from_at) throw invalidField('to', 'conflict', 'must be later than `from`');
  if (to_at > now)
    throw invalidField('to', 'in_the_future', 'must not be in the future: report an outage once it is over');
  return { from_at, to_at };
}
