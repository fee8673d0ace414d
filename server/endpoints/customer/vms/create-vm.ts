import { askOffer } from '../../../compute/ask.ts';
import { createVm as buyVm } from '../../../domain/vms/create-vm.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { requireBytes } from '../../shared/bytes.ts';
import {
  exampleNewVm,
  NEW_VM_BODY_LIMIT,
  NEW_VM_ERRORS,
  NewVmInput,
  NewVmShape,
  presentNewVm,
  USER_DATA_LIMIT,
} from './new-vm-shape.ts';

export const createVm = endpoint({
  audience: 'customer',
  operation: 'createVm',
  method: 'POST',
  path: '/v1/vm',
  money: true,
  scope: 'vm:create',
  tag: 'vm',
  summary: 'Create a VM',
  description:
    'Holds the price of a month in the wallet and starts a `create` job. The hold becomes a charge when the VM is running and is released if it cannot be created. Such a VM stays visible as `error` for a day, free of charge.',
  idempotent: true,
  secret: true,
  bodyLimit: NEW_VM_BODY_LIMIT,
  body: Input(
    { plan: Type.String({ maxLength: 63, description: 'Plan code' }), ...NewVmInput },
    { examples: [{ plan: 's1', template: 'debian-12', hostname: 'web-1' }] },
  ),
  data: NewVmShape,
  errors: [...NEW_VM_ERRORS, 'unknown_plan', 'plan_not_available_in_region'],
  example: exampleNewVm,
  prepare: ({ body, services }) => askOffer(services, body),
  async handle({ body, prepared, db, services, caller, now }) {
    requireBytes('user_data', body.user_data, USER_DATA_LIMIT);
    return { data: presentNewVm(await buyVm({ db, services, caller, now }, body, prepared)) };
  },
});
