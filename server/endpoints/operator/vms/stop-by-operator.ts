import { requireAllowed } from '../../../domain/vms/states.ts';
import type { OperatorServices } from '../../../http/services.ts';
import { startByOperator } from './start-by-operator.ts';

/** Same as the default of the API's stop action. */
const STOP_TIMEOUT_SECONDS = 60;

/**
 * Starts the job that stops a VM or cuts its power, in the operator's name, which the customer sees in the events.
 * Refused, as for the customer, if the VM's lock or state does not allow it.
 */
export async function stopByOperator(services: OperatorServices, id: string, force: boolean) {
  const kind = force ? 'force_stop' : 'stop';
  const { job } = await startByOperator(services, id, kind, async (_tx, vm) => {
    // A running job is its owner's to decide about, because cutting it short also settles its money.
    requireAllowed({ ...vm, active_job_kind: vm.active_job_kind && 'delete' }, kind);
    return { input: force ? {} : { timeout_seconds: STOP_TIMEOUT_SECONDS } };
  });
  return job;
}
