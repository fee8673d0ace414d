import { endpoint } from '../../../http/endpoint.ts';
import { Input, Shape, VmParams } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { stopByOperator } from './stop-by-operator.ts';
import { startedJobFields } from './vm-shape.ts';

export const stopVm = endpoint({
  audience: 'operator',
  operation: 'stopVm',
  method: 'POST',
  path: '/vms/{id}/stop',
  tag: 'vm',
  summary: 'Stop a VM',
  params: VmParams,
  body: Input({ force: Type.Optional(Type.Boolean({ description: 'True to power it off' })) }),
  data: Shape(startedJobFields, { $id: 'StartedJob', description: 'A job that was started on a VM' }),
  errors: ['vm_locked', 'vm_suspended', 'invalid_state'],
  handle: async ({ params: { id }, body: { force = false }, services }) => ({
    data: await stopByOperator(services, id, force),
  }),
});
