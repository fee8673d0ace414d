import { type CustomerEndpoint, endpoint } from '../../server/http/endpoint.ts';
import {
  Count,
  Currency,
  Enum,
  Id,
  Input,
  Minor,
  Nullable,
  PageQuery,
  Shape,
  Timestamp,
  VmParams,
} from '../../server/http/schemas.ts';
import { Type } from '../../server/platform/schema.ts';

/** Three operations that together use every part of a definition. Nothing calls their handlers. */

const Job = Shape(
  {
    id: Id('job'),
    status: Enum(['pending', 'running', 'succeeded', 'failed'], { description: 'How far it is' }),
    progress: Type.Integer({ minimum: 0, maximum: 100, description: 'Percent done' }),
    started_at: Nullable(Timestamp('When it began')),
  },
  { $id: 'Job', description: 'A long-running operation on a VM.' },
);

const Vm = Shape(
  {
    id: Id('vm'),
    hostname: Type.String({ description: 'Name <b>as given</b>', examples: ['web-1'] }),
    active_job: Nullable(Job),
    vcpu: Count('Virtual CPUs'),
    price_monthly_minor: Minor('Price a month'),
    currency: Currency,
  },
  { $id: 'Vm', description: 'A virtual machine.' },
);

const jobExample = {
  id: 'job_06f2v3n7k8q1m5x9z4b7c2d0gh',
  status: 'running',
  progress: 40,
  started_at: null,
};
const vmExample = {
  id: 'vm_06f2v3n7k8q1m5x9z4b7c2d0gh',
  hostname: "web-1's <script>alert(1)</script>",
  active_job: jobExample,
  vcpu: 2,
  price_monthly_minor: 499,
  currency: 'EUR',
};
const handle = async () => ({ data: null });

export const listVms = endpoint({
  audience: 'customer',
  operation: 'listVms',
  method: 'GET',
  path: '/v1/vm',
  scope: 'vm:read',
  tag: 'vm',
  summary: 'List VMs',
  query: Input({
    status: Type.Optional(Enum(['running', 'stopped'], { description: 'Only these' })),
    ...PageQuery,
  }),
  data: Type.Array(Vm),
  paginated: true,
  beside: { default_policy: Shape({ in: Enum(['accept', 'drop']), out: Enum(['accept', 'drop']) }) },
  errors: [],
  example: [vmExample],
  handle,
});

export const createVm = endpoint({
  audience: 'customer',
  operation: 'createVm',
  method: 'POST',
  path: '/v1/vm',
  scope: 'vm:create',
  tag: 'vm',
  summary: 'Create a VM',
  description: 'Charges the wallet. Answers at once; follow the `job`.',
  idempotent: true,
  secret: true,
  body: Input({
    plan: Type.String({ minLength: 1, description: 'Code of a plan in the catalog', examples: ['s-2'] }),
    ssh_key_ids: Type.Optional(Type.Array(Id('key'), { maxItems: 20, description: 'Keys to put on it' })),
    network: Type.Optional(
      Input(
        { ipv6: Type.Boolean({ default: true, description: 'Whether it gets an IPv6 address' }) },
        { description: 'How it is connected' },
      ),
    ),
  }),
  data: Shape({ vm: Vm, job: Job, initial_password: Nullable(Type.String({ description: 'Shown once' })) }),
  errors: ['insufficient_funds', 'quota_exceeded', 'unknown_plan', 'capacity_unavailable'],
  example: { vm: vmExample, job: jobExample, initial_password: null },
  handle,
});

export const startVm = endpoint({
  audience: 'customer',
  operation: 'startVm',
  method: 'POST',
  path: '/v1/vm/{id}/start',
  scope: 'vm:write',
  tag: 'vm',
  summary: 'Start a VM',
  params: VmParams,
  data: Shape({ vm: Vm, job: Job }),
  errors: ['vm_locked', 'invalid_state', 'vm_suspended'],
  example: { vm: vmExample, job: jobExample },
  handle,
});

export const SAMPLES: readonly CustomerEndpoint[] = [listVms, createVm, startVm];
