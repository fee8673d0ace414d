import { askOffer } from '../../../compute/ask.ts';
import { RENEWAL_PRIORITY } from '../../../domain/billing/ranking.ts';
import { createVm as buyVm } from '../../../domain/vms/create-vm.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Nullable, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { requireBytes } from '../../shared/bytes.ts';
import { exampleOrder, OrderShape, presentOrder } from '../shared/order-shape.ts';
import { BILLING, MAX_CHARGE, PASSWORD } from './inputs.ts';
import { exampleJob, JobShape, presentJob } from './job-shape.ts';
import { HOSTNAME, NOTES, RENEWAL_PRIORITY_INPUT } from './update-vm.ts';
import { exampleVm, presentVm, VmShape } from './vm-shape.ts';

const USER_DATA_LIMIT = 32 * 1024;
/** Room for 32 KiB of user data with its JSON escapes. */
const BODY_LIMIT = 96 * 1024;

export const createVm = endpoint({
  operation: 'createVm',
  method: 'POST',
  path: '/v1/vm',
  scope: 'vm:create',
  tag: 'vm',
  summary: 'Create a VM',
  description:
    'Holds the price of a month in the wallet and starts a `create` job; the hold becomes a charge when the VM is up, and is released when it cannot be made. Such a VM stays visible as `error` for a day, free of charge.',
  idempotent: true,
  secret: true,
  bodyLimit: BODY_LIMIT,
  body: Input(
    {
      plan: Type.String({ maxLength: 63, description: 'Plan code' }),
      template: Type.String({ maxLength: 63, description: 'Template code' }),
      hostname: HOSTNAME,
      region: Type.Optional(Type.String({ maxLength: 63, description: 'The default region when absent' })),
      zone: Type.Optional(
        Type.String({ maxLength: 63, description: 'The first zone of the region when absent' }),
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
      auto_renew: Type.Optional(
        Type.Boolean({ default: true, description: 'Renew at the end of each period' }),
      ),
      renewal_priority: Type.Optional({ ...RENEWAL_PRIORITY_INPUT, default: RENEWAL_PRIORITY.default }),
      start: Type.Optional(Type.Boolean({ default: true, description: 'Start it once it is made' })),
      max_charge_minor: Type.Optional(MAX_CHARGE),
    },
    { examples: [{ plan: 's1', template: 'debian-12', hostname: 'web-1' }] },
  ),
  data: Shape({
    vm: VmShape,
    job: JobShape,
    order: OrderShape,
    initial_password: Nullable(
      Type.String({
        description: 'Made only where neither key nor password was given; shown in this reply only',
      }),
    ),
  }),
  errors: [
    'insufficient_funds',
    'quota_exceeded',
    'price_changed',
    'unknown_plan',
    'unknown_template',
    'plan_not_available_in_region',
    'compute_unavailable',
    'capacity_unavailable',
  ],
  example: { vm: exampleVm, job: exampleJob, order: exampleOrder, initial_password: 'mKc4RuWq8yTzN2vBsJ6h' },
  prepare: ({ body, services }) => askOffer(services, body.template),
  async handle({ body, prepared, db, services, caller, now }) {
    requireBytes('user_data', body.user_data, USER_DATA_LIMIT);
    const { vm, order, initialPassword } = await buyVm({ db, services, caller, now }, body, prepared);
    return {
      data: {
        vm: presentVm(vm),
        job: presentJob(vm.active_job!),
        order: presentOrder(order),
        initial_password: initialPassword,
      },
    };
  },
});
