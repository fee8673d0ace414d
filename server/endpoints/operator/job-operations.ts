import type { FastifyInstance } from 'fastify';
import type { JobRow } from '../../db/queries/jobs.ts';
import { JOB_STATES, retryJob, systemFindJob, systemListJobs } from '../../db/queries/stuck-jobs.ts';
import { systemFindVm } from '../../db/queries/vms.ts';
import { pageFrom, paginated } from '../../http/page.ts';
import { Enum, Input, PageQuery } from '../../http/schemas.ts';
import { abandon } from '../../jobs/end-job.ts';
import { type OperatorServices, register } from '../../operator/operation.ts';
import { ApiError, notFound } from '../../platform/errors.ts';
import { Type } from '../../platform/schema.ts';

/** What a job's owner reads as the reason, where the job had not failed before. */
const ABANDONED = { code: 'abandoned', message: 'The job was given up.' };

/** A job for people who run the service. */
function presentJob(job: JobRow) {
  return {
    id: job.id,
    account_id: job.account_id,
    vm_id: job.vm_id,
    kind: job.kind,
    status: job.status,
    step: job.step,
    undoing: job.undoing,
    attempts: job.attempts,
    next_attempt_at: job.next_attempt_at,
    /** Whether a node works on it now. */
    owned: job.owner !== null,
    abandoned: job.abandoned,
    error: job.error_code === null ? null : { code: job.error_code, message: job.error_message },
    created_at: job.created_at,
    started_at: job.started_at,
    finished_at: job.finished_at,
  };
}

function hasEnded(job: JobRow): ApiError {
  return new ApiError('invalid_state', `The job has ended: it is ${job.status}.`, { status: job.status });
}

/** Jobs that keep failing: what there is, another try at once, the end. */
export function registerJobOperations(app: FastifyInstance, services: OperatorServices): void {
  register(app, services, {
    method: 'GET',
    path: '/jobs',
    query: Input({ ...PageQuery, state: Type.Optional(Enum(JOB_STATES)) }),
    async handle({ query, services: { db } }) {
      const page = pageFrom(query);
      return paginated(await systemListJobs(db, query.state ?? 'stuck', page), page, presentJob);
    },
  });

  register(app, services, {
    method: 'GET',
    path: '/jobs/:id',
    handle: async ({ id, services }) => ({ data: presentJob(await requireJob(services, id)) }),
  });

  register(app, services, {
    method: 'POST',
    path: '/jobs/:id/retry',
    async handle({ id, services }) {
      const job = await requireJob(services, id);
      const retried = await retryJob(services.db, id);
      if (!retried) throw hasEnded(job);
      services.logger.info({ job_id: id, vm_id: job.vm_id, kind: job.kind }, 'job is tried again');
      return { data: presentJob(retried) };
    },
  });

  register(app, services, {
    method: 'POST',
    path: '/jobs/:id/abandon',
    async handle({ id, services }) {
      const { db, logger, metrics, signals } = services;
      const job = await requireJob(services, id);
      await db.transaction(async (tx) => {
        const vm = (await systemFindVm(tx, job.vm_id, true))!;
        const why = 'the operator of this installation ended it';
        if (!(await abandon(tx, services, { job, vm, error: ABANDONED, why })))
          throw hasEnded((await systemFindJob(tx, id))!);
        // A node that works on it leaves the guest alone, and then gives up its ownership.
        await signals.jobCanceled(tx, id);
      });
      metrics.jobFinished(job.kind, 'abandoned');
      logger.warn({ job_id: id, vm_id: job.vm_id, kind: job.kind }, 'job given up');
      return { data: presentJob(await requireJob(services, id)) };
    },
  });
}

async function requireJob({ db }: OperatorServices, id: string): Promise<JobRow> {
  const job = await systemFindJob(db, id);
  if (!job) throw notFound();
  return job;
}
