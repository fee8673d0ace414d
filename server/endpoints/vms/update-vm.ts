import { findVm, updateVm as writeVm } from '../../db/queries/vms.ts';
import { recordCallerEvent } from '../../domain/vms/events.ts';
import { HOSTNAME_PATTERN } from '../../domain/vms/hostname.ts';
import { requireAllowed } from '../../domain/vms/states.ts';
import { notFound } from '../../platform/errors.ts';
import { Type } from '../../platform/schema.ts';
import { endpoint } from '../endpoint.ts';
import { Input, Nullable, VmParams } from '../schemas.ts';
import { loadVmForChange } from './load-vm.ts';
import { exampleVm, presentVm, VmShape } from './vm-shape.ts';

export const NOTES = Type.String({ maxLength: 2000, description: 'Notes of your own' });
export const HOSTNAME = Type.String({
  pattern: HOSTNAME_PATTERN,
  minLength: 1,
  maxLength: 253,
  description: 'RFC 1123 host name',
  examples: ['web-1'],
});

export const updateVm = endpoint({
  operation: 'updateVm',
  method: 'PATCH',
  path: '/v1/vm/{id}',
  scope: 'vm:write',
  tag: 'vm',
  summary: 'Rename a VM or change its notes',
  description:
    'An absent field stays as it is, `null` clears. The host name inside the guest is not touched.',
  params: VmParams,
  body: Input(
    { hostname: Type.Optional(HOSTNAME), notes: Type.Optional(Nullable(NOTES)) },
    { minProperties: 1 },
  ),
  data: VmShape,
  errors: ['invalid_state', 'vm_suspended'],
  example: { ...exampleVm, notes: 'Front of the shop' },
  load: loadVmForChange,
  async handle({ resource, body, db, services, caller, now }) {
    requireAllowed(resource, 'configure');
    await writeVm(db, resource.id, { hostname: body.hostname, notes: body.notes }, now);
    const changed = Object.keys(body).sort();
    const event = { type: 'vm.updated', message: `Changed ${changed.join(' and ')}.`, metadata: { changed } };
    await recordCallerEvent(db, services.clock, caller, resource.id, event);
    const vm = await findVm(db, caller.accountId, resource.id);
    if (!vm) throw notFound();
    return { data: presentVm(vm) };
  },
});
