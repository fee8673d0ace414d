import type { GuestSight } from '../../compute/driver.ts';
import type { RecordedVm } from '../../db/queries/vms/guest-states.ts';

/**
 * A way in which a VM without a job and its guest contradict each other.
 * - `missing`: the engine has no guest for the VM
 * - `unseen`: it is unknown whether the guest runs
 * - `off`, `on`: the guest is off or on, and the VM shows something else
 * - `unwanted`: the guest runs although it was switched off or suspended
 */
export type Finding = 'missing' | 'unseen' | 'off' | 'on' | 'unwanted';

/** Compares a VM with its guest's power, which is undefined if there is no guest. */
export function judgeGuest(vm: RecordedVm, power: GuestSight['power'] | undefined): Finding | undefined {
  // A VM that was never provisioned, or is half deleted, is in whatever state its jobs have left.
  if (vm.active_job_id || !vm.provisioned_at || vm.deletion_failed_at) return undefined;
  // A guest on an unreachable host counts as unseen, whatever the engine says about it.
  if (power === 'unknown' || vm.host_lost) return 'unseen';
  if (power === undefined) return 'missing';
  const runs = power !== 'off';
  switch (vm.status) {
    case 'running':
      return runs ? undefined : 'off';
    case 'stopped':
      if (!runs) return undefined;
      return vm.wanted_power === 'on' ? 'on' : 'unwanted';
    case 'suspended':
      return runs ? 'unwanted' : undefined;
    case 'error':
      return runs ? 'on' : 'off';
    default:
      return undefined;
  }
}
