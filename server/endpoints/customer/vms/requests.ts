import type { Transaction } from '../../../db/database.ts';
import type { VmView } from '../../../db/queries/vms/vms.ts';
import { type JobRequest, type JobStart, startJob, withJob } from '../../../domain/vms/start-job.ts';
import { requireAllowed, type VmOperation } from '../../../domain/vms/states.ts';
import type { Caller } from '../../../http/endpoint.ts';
import { Input, Shape } from '../../../http/schemas.ts';
import type { EndpointServices } from '../../../http/services.ts';
import { type Static, Type } from '../../../platform/schema.ts';
import { exampleJob, JobShape, presentJob } from './job-shape.ts';
import { exampleVm, presentVm, VmShape } from './vm-shape.ts';

/** Reply of operations that only start a job. */
export const VmJobShape = Shape(
  { vm: VmShape, job: JobShape },
  { $id: 'VmJob', description: 'A VM and the job that was started on it' },
);
export const exampleVmJob = { vm: exampleVm, job: exampleJob };

/** Body of stop and reboot. */
export const PowerBody = Input({
  timeout_seconds: Type.Optional(
    Type.Integer({
      minimum: 5,
      maximum: 300,
      default: 60,
      description: 'Time that the guest has to respond',
    }),
  ),
});
export type PowerBody = Static<typeof PowerBody>;

interface JobContext {
  db: Transaction;
  services: EndpointServices;
  caller: Caller;
  now: Date;
  resource: VmView;
}

/** Checks lock and state, starts the job, and returns a reply with the VM and the job. */
export async function answerWithJob(context: JobContext, operation: VmOperation, request: JobRequest) {
  const { resource: vm, now } = context;
  requireAllowed(vm, operation);
  const start: JobStart = context;
  const job = await startJob(start, vm, request);
  return { data: { vm: presentVm(withJob(vm, job, now)), job: presentJob(job) } };
}
