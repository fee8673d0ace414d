import { endpoint } from '../../../http/endpoint.ts';
import { JobParams, JobShape, presentJob, requireJob } from './job-shape.ts';

export const getJob = endpoint({
  audience: 'operator',
  operation: 'getJob',
  method: 'GET',
  path: '/jobs/{id}',
  tag: 'job',
  summary: 'Get a job',
  params: JobParams,
  data: JobShape,
  errors: [],
  handle: async ({ params: { id }, services }) => ({ data: presentJob(await requireJob(services, id)) }),
});
