import { askOffer } from '../../../compute/ask.ts';
import { systemFindVm } from '../../../db/queries/vms/vms.ts';
import { decideRebuild } from '../../../domain/vms/rebuild-vm.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Nullable, Shape, VmParams } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { NEW_VM_BODY_LIMIT, USER_DATA_LIMIT } from '../../customer/vms/new-vm-shape.ts';
import { requireBytes } from '../../shared/bytes.ts';
import { RebuildFields } from '../../shared/rebuild.ts';
import { startByOperator } from './start-by-operator.ts';
import { startedJobFields } from './vm-shape.ts';

export const rebuildVm = endpoint({
  audience: 'operator',
  operation: 'rebuildVm',
  method: 'POST',
  path: '/vms/{id}/rebuild',
  tag: 'vm',
  bodyLimit: NEW_VM_BODY_LIMIT,
  summary: 'Reinstall a VM from a template',
  params: VmParams,
  body: Input({
    ...RebuildFields,
    user_data: Type.Optional(Type.String({ maxLength: USER_DATA_LIMIT, description: 'For cloud-init' })),
  }),
  data: Shape(
    {
      ...startedJobFields,
      template: Type.String(),
      initial_password: Nullable(Type.String({ description: 'Shown only once; null if a key can log in' })),
    },
    { $id: 'StartedRebuild', description: 'A job that reinstalls a VM' },
  ),
  errors: [
    'vm_locked',
    'vm_suspended',
    'invalid_state',
    'unknown_template',
    'compute_unavailable',
    'capacity_unavailable',
  ],
  async handle({ params: { id }, body, services }) {
    requireBytes('user_data', body.user_data, USER_DATA_LIMIT);
    const region = (await systemFindVm(services.db, id))?.region;
    const offer = await askOffer(services, { template: body.template, region });
    const { job, decided } = await startByOperator(services, id, 'rebuild', (tx, vm) =>
      decideRebuild(tx, services, vm, body, offer),
    );
    return { data: { ...job, template: body.template, initial_password: decided.initialPassword } };
  },
});
