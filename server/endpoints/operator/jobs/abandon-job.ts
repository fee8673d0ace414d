import { systemFindJob } from '../../../db/queries/service/stuck-jobs.ts';
import { systemFindVm } from '../../../db/queries/vms/vms.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { abandon } from '../../../jobs/end-job.ts';
import { hasEnded, JobParams, JobShape, presentJob, requireJob } from './job-shape.ts';

/** The reason shown to the job's owner if the job had not failed before. */
const ABANDONED = { code: 'abandoned', message: 'The job was abandoned.' } as const;

export const abandonJob = endpoint({
  audience: 'operator',
  operation: 'abandonJob',
  method: 'POST',
  path: '/jobs/{id}/abandon',
  tag: 'job',
  summary: 'Abandon a job',
  description: 'The job fails, the amount it holds is released, and its VM is put in the state `error`.',
  params: JobParams,
  data: JobShape,
  errors: ['invalid_state'],
  async handle({ params: { id }, services }) {
    const { db, logger, metrics, signals } = services;
    const job = await requireJob(services, id);
    await db.transaction(async (tx) => {
      const vm = (await systemFindVm(tx, job.vm_id, true))!;
      const why = 'the operator of this installation ended it';
      if (!(await abandon(tx, services, { job, vm, error: ABANDONED, why })))
        throw hasEnded((await systemFindJob(tx, id))!);
      // A node that is working on the job leaves the guest alone and then releases the job.
      await signals.jobCanceled(tx, id);
    });
    metrics.jobFinished(job.kind, 'abandoned');
    logger.warn({ job_id: id, vm_id: job.vm_id, kind: job.kind }, 'job abandoned');
    return { data: presentJob(await requireJob(services, id)) };
  },
});
