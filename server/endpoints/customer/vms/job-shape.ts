import type { JobRow } from '../../../db/queries/service/jobs.ts';
import { JOB_KINDS } from '../../../domain/vms/states.ts';
import { Enum, Id, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const JobShape = Shape(
  {
    id: Id('job'),
    kind: Enum(JOB_KINDS, { $id: 'JobKind', description: 'The operation that the job performs' }),
    status: Enum(['pending', 'running', 'succeeded', 'failed', 'canceled'], {
      $id: 'JobStatus',
    }),
    progress: Type.Integer({ minimum: 0, maximum: 100, description: 'Per cent' }),
    vm_id: Id('vm'),
    created_at: Timestamp(),
    started_at: Nullable(Timestamp()),
    finished_at: Nullable(Timestamp()),
    error: Nullable(
      Shape(
        { code: Type.String(), message: Type.String() },
        { $id: 'JobError', description: 'The reason why a job failed' },
      ),
    ),
  },
  { $id: 'Job', description: 'A long-running operation on a VM' },
);

export function presentJob(job: JobRow) {
  return {
    id: job.id,
    kind: job.kind,
    status: job.status,
    progress: job.progress,
    vm_id: job.vm_id,
    created_at: job.created_at,
    started_at: job.started_at,
    finished_at: job.finished_at,
    error:
      job.error_code === null || job.status !== 'failed'
        ? null
        : { code: job.error_code, message: job.error_message },
  };
}

export const exampleJob = {
  id: 'job_01ke1y3m8q4v7w2x9z5b6c8d0f',
  kind: 'create',
  status: 'pending',
  progress: 0,
  vm_id: 'vm_01ke1y3m8q7n5k2x4z9b1c3d6g',
  created_at: '2026-01-05T09:30:00.000Z',
  started_at: null,
  finished_at: null,
  error: null,
};
