import { RENEWAL_PRIORITY } from '../../../domain/billing/ranking.ts';
import type { Created } from '../../../domain/vms/create-vm.ts';
import { Nullable, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { exampleOrder, OrderShape, presentOrder } from '../shared/order-shape.ts';
import { BILLING, MAX_CHARGE, PASSWORD } from './inputs.ts';
import { exampleJob, JobShape, presentJob } from './job-shape.ts';
import { HOSTNAME, NOTES, RENEWAL_PRIORITY_INPUT } from './update-vm.ts';
import { exampleVm, presentVm, VmShape } from './vm-shape.ts';

/** In bytes of UTF-8. */
export const USER_DATA_LIMIT = 32 * 1024;
/** Enough for 32 KiB of user data in which each byte is a JSON escape of six characters. */
export const NEW_VM_BODY_LIMIT = 256 * 1024;

/** The fields of a new VM, apart from its size. */
export const NewVmInput = {
  template: Type.String({ maxLength: 63, description: 'Template code' }),
  hostname: HOSTNAME,
  region: Type.Optional(Type.String({ maxLength: 63, description: 'Defaults to the default region' })),
  zone: Type.Optional(
    Type.String({ maxLength: 63, description: 'Defaults to the first zone of the region' }),
  ),
  ssh_key_ids: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 20,
      uniqueItems: true,
      description: 'Stored SSH keys to install',
    }),
  ),
  password: Type.Optional(PASSWORD),
  user_data: Type.Optional(
    Type.String({
      maxLength: USER_DATA_LIMIT,
      description: 'cloud-init user data, at most 32 KiB of UTF-8',
    }),
  ),
  notes: Type.Optional(Nullable(NOTES)),
  billing: Type.Optional(BILLING),
  auto_renew: Type.Optional(Type.Boolean({ default: true, description: 'Renew at the end of each period' })),
  renewal_priority: Type.Optional({ ...RENEWAL_PRIORITY_INPUT, default: RENEWAL_PRIORITY.default }),
  start: Type.Optional(Type.Boolean({ default: true, description: 'Start it after creation' })),
  max_charge_minor: Type.Optional(MAX_CHARGE),
};

/** Reasons for refusing a new VM, whatever its size. */
export const NEW_VM_ERRORS = [
  'invalid_state',
  'insufficient_funds',
  'quota_exceeded',
  'price_changed',
  'unknown_template',
  'compute_unavailable',
  'capacity_unavailable',
] as const;

export const NewVmShape = Shape(
  {
    vm: VmShape,
    job: JobShape,
    order: OrderShape,
    initial_password: Nullable(
      Type.String({
        description: 'Generated only if neither a key nor a password was given; shown only in this response',
      }),
    ),
  },
  { $id: 'CreatedVm', description: 'A new VM, the job that creates it and the order that pays for it' },
);

export const exampleNewVm = {
  vm: exampleVm,
  job: exampleJob,
  order: exampleOrder,
  initial_password: 'mKc4RuWq8yTzN2vBsJ6h',
};

export function presentNewVm({ vm, order, initialPassword }: Created) {
  return {
    vm: presentVm(vm),
    job: presentJob(vm.active_job!),
    order: presentOrder(order),
    initial_password: initialPassword,
  };
}
