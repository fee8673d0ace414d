import type { VmStatus } from '../domain/vms/states.ts';
import type { JobContext } from './job.ts';

/**
 * The state of a VM after a job, asked of the engine: what is, not what was meant to be. Where that cannot be seen, the
 * last that is known: what was wanted of it. The reconciler puts it right as soon as it can.
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
