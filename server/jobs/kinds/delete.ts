import { releaseAddresses } from '../../db/queries/addresses.ts';
import { deleteVmBelongings } from '../../db/queries/vm-belongings.ts';
import type { JobDefinition } from '../job.ts';

/** Deletes a VM. Its refund was paid when the deletion was accepted, so there is only the way forward. */
export const deletion: JobDefinition = {
  persistent: true,
  steps: [{ name: 'remove_guest', run: ({ compute, vm }) => compute.remove(vm.id) }],
  async succeeded(tx, { vm }, at) {
    await releaseAddresses(tx, vm.id, at);
    await deleteVmBelongings(tx, vm.id, at);
    return {
      change: { deleted_at: at },
      event: { type: 'vm.deleted', message: `VM ${vm.hostname} was deleted.` },
    };
  },
  failed: async () => ({ change: {} }),
};
