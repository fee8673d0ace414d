import type { Transaction } from '../../../db/database.ts';
import type { JobKind } from '../../../db/enums.ts';
import { systemFindVmView } from '../../../db/queries/vms/operator-vms.ts';
import { systemFindVm, type VmView } from '../../../db/queries/vms/vms.ts';
import { jobRequested, recordSystemEvent } from '../../../domain/vms/events.ts';
import { startSystemJob } from '../../../domain/vms/start-job.ts';
import type { OperatorServices } from '../../../http/services.ts';
import { notFound } from '../../../platform/errors.ts';

/**
 * Starts a job on a VM in the operator's name, which the customer sees in the events. `decide` returns the job's input
 * or refuses, in the transaction that has locked the VM and writes the job.
 */
export function startByOperator<D extends { input: object }>(
  { clock, db, logger, queue, signals }: OperatorServices,
  id: string,
  kind: JobKind,
  decide: (tx: Transaction, vm: VmView) => Promise<D>,
): Promise<{ job: { vm_id: string; job_id: string; kind: JobKind }; decided: D }> {
  return db.transaction(async (tx) => {
    const row = await systemFindVm(tx, id, true);
    const vm = row && (await systemFindVmView(tx, id));
    if (!vm) throw notFound();
    const decided = await decide(tx, vm);
    const { input } = decided;
    const start = { db: tx, services: { clock, queue, signals }, now: clock.now() };
    const job = await startSystemJob(start, row, { kind, input });
    const subject = { account_id: vm.account_id, vm_id: vm.id, id: job.id };
    await recordSystemEvent(tx, clock, subject, 'info', jobRequested(kind, ' by the operator'));
    tx.afterCommit(() => logger.info({ vm_id: id, job_id: job.id, kind }, 'job started by the operator'));
    return { job: { vm_id: id, job_id: job.id, kind }, decided };
  });
}
