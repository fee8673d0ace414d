import type { Caller } from '../../access/principal.ts';
import type { Transaction } from '../../db/database.ts';
import { debtWarnedAt } from '../../db/queries/money/debt-suspensions.ts';
import { cancelJob, insertJob, type JobRow } from '../../db/queries/service/jobs.ts';
import type { VmGrace, VmIdentity } from '../../db/queries/vms/vm-parts.ts';
import { updateVm, type VmRow, type VmView } from '../../db/queries/vms/vms.ts';
import type { Signals } from '../../db/signals.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { debtSuspendsAt } from '../billing/debt-suspension.ts';
import { wayBack } from '../billing/dunning-events.ts';
import { graceEnd } from '../billing/grace.ts';
import { lockOrderOf, releaseFor } from '../billing/vm-orders.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { jobRequested, recordCallerEvent } from './events.ts';
import type { JobPublisher } from './job-publisher.ts';
import { type JobKind, STATUS_DURING } from './states.ts';

/** Everything needed to start a job. `db` holds the VM's lock. */
export interface SystemJobStart {
  db: Transaction;
  services: { clock: Clock; queue: JobPublisher; signals: Signals };
  now: Date;
}

/** Everything needed to start a job for a caller. */
export interface JobStart extends SystemJobStart {
  services: SystemJobStart['services'] & { catalog: Catalog; metrics: Pick<Metrics, 'jobFinished'> };
  caller: Caller;
}

/** Everything needed to start a job that was paid for, and to reserve capacity for it. */
export interface PaidJobStart extends JobStart {
  services: JobStart['services'] & { engine: string; secrets: SecretBox };
}

export interface JobRequest {
  kind: JobKind;
  input?: object;
  orderId?: string | null;
}

/**
 * Starts a job on a VM whose state allows it (see `requireAllowed`): writes the job, locks the VM with it, sets the
 * VM's state, and sends the job to the runners when the transaction commits. A job that it pre-empts is cancelled, and
 * its money is released.
 */
export async function startJob(start: JobStart, vm: VmView, request: JobRequest): Promise<JobRow> {
  if (request.kind !== 'delete') {
    requireGrace(start, vm);
    await requireNoDueDebt(start, vm);
  }
  if (vm.active_job) await cancelActiveJob(start, vm.active_job);
  const job = await writeJob(start, vm, request, false);
  const event = jobRequested(request.kind);
  await recordCallerEvent(start.db, start.services.clock, start.caller, vm.id, event, job.id);
  return job;
}

/** A VM is suspended once it is idle; keeping it busy must not postpone that forever. */
function requireGrace({ services, now }: JobStart, vm: VmGrace & Pick<VmRow, 'provisioned_at'>): void {
  if (!vm.provisioned_at || now < graceEnd(vm, services.catalog.grace)) return;
  throw new ApiError(
    'vm_suspended',
    `The paid period is over, and the VM is about to be suspended. To keep it, ${wayBack(vm)}.`,
  );
}

/** A VM that is about to be suspended for its account's debt cannot start jobs either. */
async function requireNoDueDebt(
  { db, services: { catalog }, now }: JobStart,
  vm: Pick<VmIdentity, 'account_id'>,
): Promise<void> {
  if (!catalog.debt) return;
  const suspendsAt = debtSuspendsAt(catalog, await debtWarnedAt(db, vm.account_id));
  if (!suspendsAt || now < suspendsAt) return;
  throw new ApiError(
    'vm_suspended',
    'The account owes money, and the VM is about to be suspended. Pay the debt to keep it running.',
  );
}

type JobSubject = VmIdentity & Pick<VmRow, 'status'>;

/** Starts a job of the service itself, on a VM without an active job. */
export function startSystemJob(start: SystemJobStart, vm: JobSubject, request: JobRequest): Promise<JobRow> {
  return writeJob(start, vm, request, true);
}

async function writeJob(
  { db, services, now }: SystemJobStart,
  vm: JobSubject,
  request: JobRequest,
  byService: boolean,
): Promise<JobRow> {
  const job = {
    id: newId('job', services.clock),
    account_id: vm.account_id,
    vm_id: vm.id,
    kind: request.kind,
    input: (request.input ?? {}) as Record<string, unknown>,
    order_id: request.orderId ?? null,
    by_service: byService,
    created_at: now,
  };
  const row = await insertJob(db, job);
  const status = STATUS_DURING[request.kind] ?? vm.status;
  await updateVm(db, vm.id, { active_job_id: job.id, status }, now);
  // Consoles of a VM that is going down close before its guest does, and say why.
  if (status !== vm.status) await services.signals.vmChanged(db, vm.id);
  await services.queue.announce(db);
  return row;
}

/** Returns the VM as it is right after {@link startJob}, without another query. */
export function withJob(vm: VmView, job: JobRow, now: Date): VmView {
  const status = STATUS_DURING[job.kind] ?? vm.status;
  return {
    ...vm,
    status,
    active_job: job,
    active_job_id: job.id,
    active_job_kind: job.kind,
    updated_at: now,
  };
}

async function cancelActiveJob({ db, services, now }: JobStart, job: JobRow): Promise<void> {
  await cancelJob(db, job.id, now);
  await releaseFor(services, db, await lockOrderOf(db, job), now);
  await services.signals.jobCanceled(db, job.id);
  db.afterCommit(() => services.metrics.jobFinished(job.kind, 'canceled'));
}
