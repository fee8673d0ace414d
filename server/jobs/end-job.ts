import type { Transaction } from '../db/database.ts';
import type { JobRow } from '../db/queries/service/jobs.ts';
import { abandonJob } from '../db/queries/service/stuck-jobs.ts';
import { updateVm, type VmRow } from '../db/queries/vms/vms.ts';
import type { Signals } from '../db/signals.ts';
import { lockOrderOf } from '../domain/billing/vm-orders.ts';
import type { Catalog } from '../domain/catalog/catalog-schema.ts';
import { type EventText, JOB_NAMES, recordSystemEvent } from '../domain/vms/events.ts';
import type { Clock } from '../platform/clock.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { JOBS } from './definitions/index.ts';
import type { JobError, Outcome } from './job.ts';
import { mailEvent } from './tell-owners.ts';

interface EndServices {
  clock: Clock;
  catalog: Catalog;
  secrets: SecretBox;
  signals: Signals;
}

/** Updates the VM at the end of its job. Called in the transaction that ends the job. */
export async function settleVm(
  tx: Transaction,
  services: EndServices,
  { job, status, at }: { job: JobRow; status: 'succeeded' | 'failed'; at: Date },
  { change, event }: Outcome,
): Promise<void> {
  const failure: EventText = {
    type: 'job.failed',
    message: `${JOB_NAMES[job.kind]} failed.`,
    metadata: { kind: job.kind },
  };
  await updateVm(tx, job.vm_id, { ...change, active_job_id: null, last_job_id: job.id }, at);
  const told = event ?? (status === 'failed' ? failure : undefined);
  if (told) {
    await recordSystemEvent(tx, services.clock, job, status === 'failed' ? 'error' : 'info', told);
    await mailEvent(tx, services, job, told);
  }
  await services.signals.vmChanged(tx, job.vm_id);
}

/**
 * Gives up a job that keeps failing: releases everything it holds and sets its VM, whose row the caller has locked, to
 * `error`. `why` completes a sentence for the VM's owner, such as "undoing it failed 10 times". Returns false if the
 * job has already ended. Something may be left on the engine, which the VM's deletion removes.
 */
export async function abandon(
  tx: Transaction,
  services: EndServices,
  { job, vm, error, why }: { job: JobRow; vm: VmRow; error: JobError; why: string },
): Promise<boolean> {
  const at = services.clock.now();
  if (!(await abandonJob(tx, job.id, error, at))) return false;
  const order = await lockOrderOf(tx, job);
  const context = { job, vm, order, services, observed: 'error' as const, abandoned: true };
  const { change } = await JOBS[job.kind].failed(tx, context, at);
  const money = job.order_id ? ' The amount held for it has been released.' : '';
  const event: EventText = {
    type: 'job.failed',
    message: `${JOB_NAMES[job.kind]} failed and was abandoned: ${why}.${money}`,
    metadata: { kind: job.kind, abandoned: true },
  };
  await settleVm(tx, services, { job, status: 'failed', at }, { change, event });
  return true;
}
