import type { VmStatus } from '../domain/vms/states.ts';
import type { JobContext } from './job.ts';

/**
 * Returns the VM's status after a job, as the engine reports it rather than as intended. If the engine cannot tell,
 * falls back to the wanted power; the reconciler corrects the status as soon as it can.
 */
export async function observeVmStatus({ compute, vm }: JobContext): Promise<VmStatus> {
  try {
    const guest = await compute.inspect(vm.id);
    if (!guest) return 'error';
    return guest.power === 'off' ? 'stopped' : 'running';
  } catch {
    if (!vm.provisioned_at) return 'error';
    return vm.wanted_power === 'on' ? 'running' : 'stopped';
  }
}
