import { ComputeUnavailableError } from '../../compute/driver.ts';
import { releaseAddresses } from '../../db/queries/vms/addresses.ts';
import { deleteVmBelongings } from '../../db/queries/vms/vm-dependents.ts';
import type { JobDefinition } from '../job.ts';
import { putOffDunning } from '../timers/dun-vm.ts';

/** A period is never empty, because charges and refunds are shares of its seconds. */
const SHORTEST_PERIOD_MS = 1_000;

/**
 * Deletes a VM. Its refund was paid when the deletion was accepted, so the job can only go forward. If it is abandoned
 * nevertheless, the VM counts as paid only up to the time of that refund: it is neither refunded twice nor restarted,
 * and finally the service deletes it like any VM that does not renew.
 */
export const deletion: JobDefinition = {
  persistent: true,
  steps: [
    {
      name: 'remove_guest',
      async run({ compute, vm }) {
        await compute.remove(vm.id);
        // The guest's addresses are about to be given to another VM, so its removal must be confirmed.
        if (await compute.inspect(vm.id))
          throw new ComputeUnavailableError(`${vm.id} is still there after its removal`);
      },
    },
  ],
  async succeeded(tx, { vm, services }, at) {
    await deleteVmBelongings(tx, vm.id, at);
    await releaseAddresses(tx, vm.id, at);
    await services.signals.forwardsChanged(tx);
    return {
      change: { deleted_at: at, moving_to: null },
      event: { type: 'vm.deleted', message: `VM ${vm.hostname} was deleted.` },
    };
  },
  async failed(_tx, { vm, job }, at) {
    const { billing_period_start_at: start, billing_period_end_at: end } = vm;
    const paidUntil = Math.min(end.getTime(), job.created_at.getTime());
    const ended = {
      auto_renew: false,
      deletion_failed_at: at,
      billing_period_start_at: new Date(Math.min(start.getTime(), paidUntil - SHORTEST_PERIOD_MS)),
      billing_period_end_at: new Date(paidUntil),
    };
    const next = job.by_service && putOffDunning(vm, at);
    return { change: { status: 'error', ...(vm.provisioned_at && { ...ended, ...next }) } };
  },
};
