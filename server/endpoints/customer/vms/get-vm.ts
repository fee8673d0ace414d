import { endpoint } from '../../../http/endpoint.ts';
import { VmParams } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { loadVm } from './load-vm.ts';
import { exampleVm, presentVm, VmShape } from './vm-shape.ts';
import { MAX_WAIT_SECONDS, waitUntilIdle } from './wait-until-idle.ts';

export const WaitQuery = {
  wait_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_WAIT_SECONDS,
      default: 0,
      description: 'Long poll: wait up to this many seconds until the VM has no active job',
    }),
  ),
};

export const getVm = endpoint({
  audience: 'customer',
  operation: 'getVm',
  method: 'GET',
  path: '/v1/vm/{id}',
  scope: 'vm:read',
  tag: 'vm',
  summary: 'Get one VM',
  description:
    'With `wait_seconds`, the response waits until the VM has no active job, so you can follow a job to its end.',
  params: VmParams,
  query: Type.Object(WaitQuery),
  data: VmShape,
  errors: [],
  example: exampleVm,
  load: loadVm,
  async handle({ resource, query, db, services, hangUp }) {
    const vm = await waitUntilIdle(resource, { db, services, seconds: query.wait_seconds ?? 0, hangUp });
    if (!vm) throw notFound();
    return { data: presentVm(vm) };
  },
});
