import type { JobRow } from '../../../db/queries/service/jobs.ts';
import { systemFindJob } from '../../../db/queries/service/stuck-jobs.ts';
import { Count, Enum, Id, Nullable, PathId, Shape, Timestamp } from '../../../http/schemas.ts';
import type { OperatorServices } from '../../../http/services.ts';
import { ApiError, notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { JobKindShape } from '../shared/job-kind-shape.ts';

export const JobParams = Type.Object({ id: PathId('job', 'Job identifier') });

export const JobShape = Shape(
  {
    id: Id('job'),
    account_id: Id('acc'),
    vm_id: Id('vm'),
    kind: JobKindShape,
    status: Enum(['pending', 'running', 'succeeded', 'failed', 'canceled']),
    step: Type.Integer({ description: 'Current step' }),
    undoing: Type.Boolean({ description: 'True while the job undoes its steps' }),
    attempts: Count('Consecutive failures of the current step'),
    next_attempt_at: Nullable(Timestamp('Time of the next attempt; null for as soon as possible')),
    owned: Type.Boolean({ description: 'True if a node is working on it now' }),
    abandoned: Type.Boolean({ description: 'True if it was abandoned' }),
    error: Nullable(Shape({ code: Type.String(), message: Type.String() })),
    created_at: Timestamp(),
    started_at: Nullable(Timestamp()),
    finished_at: Nullable(Timestamp()),
  },
  { $id: 'Job', description: 'A long-running operation on a VM' },
);

export function presentJob(job: JobRow) {
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
    owned: job.owner !== null,
    abandoned: job.abandoned,
    error: job.error_code === null ? null : { code: job.error_code, message: job.error_message },
    created_at: job.created_at,
    started_at: job.started_at,
    finished_at: job.finished_at,
  };
}

/** Returns the job, or throws `not_found`. */
export async function requireJob({ db }: OperatorServices, id: string): Promise<JobRow> {
  const job = await systemFindJob(db, id);
  if (!job) throw notFound();
  return job;
}

export function hasEnded(job: JobRow): ApiError {
  return new ApiError('invalid_state', `The job has already ended with the status ${job.status}.`, {
    status: job.status,
  });
}
