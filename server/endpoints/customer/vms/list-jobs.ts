import { listJobs as queryJobs } from '../../../db/queries/service/jobs.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Enum, PageQuery, VmParams } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { WaitQuery } from './get-vm.ts';
import { exampleJob, JobShape, presentJob } from './job-shape.ts';
import { loadVm } from './load-vm.ts';
import { waitUntilIdle } from './wait-until-idle.ts';

export const listJobs = endpoint({
  audience: 'customer',
  operation: 'listJobs',
  method: 'GET',
  path: '/v1/vm/{id}/jobs',
  scope: 'vm:read',
  tag: 'vm',
  summary: 'List the jobs of a VM',
  description: 'Running and waiting jobs; with `status=all` finished ones too, which are kept for 30 days.',
  params: VmParams,
  query: Type.Object({
    ...PageQuery,
    ...WaitQuery,
    status: Type.Optional(
      Enum(['active', 'all'], { $id: 'JobFilter', default: 'active', description: 'Which jobs' }),
    ),
  }),
  data: Type.Array(JobShape),
  paginated: true,
  errors: ['invalid_cursor'],
  example: [exampleJob],
  load: loadVm,
  async handle({ resource, query, db, services, hangUp }) {
    const page = pageFrom(query);
    const vm = await waitUntilIdle(resource, { db, services, seconds: query.wait_seconds ?? 0, hangUp });
    if (!vm) throw notFound();
    return paginated(await queryJobs(db, vm.id, query.status !== 'all', page), page, presentJob);
  },
});
