import { JOB_STATES, systemListJobs } from '../../../db/queries/service/stuck-jobs.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Enum, Input, PageQuery } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { JobShape, presentJob } from './job-shape.ts';

export const listJobs = endpoint({
  audience: 'operator',
  operation: 'listJobs',
  method: 'GET',
  path: '/jobs',
  tag: 'job',
  summary: 'List jobs of all accounts',
  query: Input({
    ...PageQuery,
    state: Type.Optional(
      Enum(JOB_STATES, {
        description: 'Jobs that keep failing (the default), all unfinished jobs, or abandoned jobs',
      }),
    ),
  }),
  data: Type.Array(JobShape),
  paginated: true,
  errors: [],
  async handle({ query, services: { db } }) {
    const page = pageFrom(query);
    return paginated(await systemListJobs(db, query.state ?? 'stuck', page), page, presentJob);
  },
});
