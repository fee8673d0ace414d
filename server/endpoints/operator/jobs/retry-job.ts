import { retryJob as retry } from '../../../db/queries/service/stuck-jobs.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { hasEnded, JobParams, JobShape, presentJob, requireJob } from './job-shape.ts';

export const retryJob = endpoint({
  audience: 'operator',
  operation: 'retryJob',
  method: 'POST',
  path: '/jobs/{id}/retry',
  tag: 'job',
  summary: 'Retry a failing job at once',
  params: JobParams,
  data: JobShape,
  errors: ['invalid_state'],
  async handle({ params: { id }, services }) {
    const job = await requireJob(services, id);
    const retried = await retry(services.db, id);
    if (!retried) throw hasEnded(job);
    services.logger.info({ job_id: id, vm_id: job.vm_id, kind: job.kind }, 'job is tried again');
    return { data: presentJob(retried) };
  },
});
