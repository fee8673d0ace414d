import { askOffer } from '../../../compute/ask.ts';
import { createVm as buyVm } from '../../../domain/vms/create-vm.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import {
  NEW_VM_BODY_LIMIT,
  NEW_VM_ERRORS,
  NewVmInput,
  NewVmShape,
  presentNewVm,
  USER_DATA_LIMIT,
} from '../../customer/vms/new-vm-shape.ts';
import { requireBytes } from '../../shared/bytes.ts';

export const createCustomVm = endpoint({
  audience: 'panel',
  operation: 'createCustomVm',
  method: 'POST',
  path: '/vm/custom',
  money: true,
  access: 'operator',
  tag: 'vm',
  summary: 'Create a VM with a custom size',
  description:
    'Same as `createVm`, at the unit prices of the catalog and within its `custom_limits`. Needs one order and one job, whereas the customer API creates a VM with a plan and then changes its size.',
  idempotent: true,
  secret: true,
  bodyLimit: NEW_VM_BODY_LIMIT,
  body: Input(
    {
      vcpu: Type.Integer({ minimum: 1, description: 'Virtual CPUs' }),
      ram_mb: Type.Integer({ minimum: 1, description: 'Memory in MiB' }),
      disk_gb: Type.Integer({ minimum: 1, description: 'Disk in GB' }),
      ...NewVmInput,
    },
    { examples: [{ vcpu: 2, ram_mb: 4096, disk_gb: 60, template: 'debian-12', hostname: 'web-1' }] },
  ),
  data: NewVmShape,
  errors: NEW_VM_ERRORS,
  prepare: ({ body, services }) => askOffer(services, body),
  async handle({ body, prepared, db, services, caller, now }) {
    requireBytes('user_data', body.user_data, USER_DATA_LIMIT);
    const { vcpu, ram_mb, disk_gb, ...wish } = body;
    const request = { ...wish, size: { vcpu, ram_mb, disk_gb } };
    return { data: presentNewVm(await buyVm({ db, services, caller, now }, request, prepared)) };
  },
});
