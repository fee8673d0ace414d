import type { GuestSight } from '../../compute/driver.ts';
import type { RecordedVm } from '../../db/queries/guest-states.ts';

/**
 * Where a VM at rest and its guest contradict each other.
 * - `missing`: the engine has no guest for it
 * - `unseen`: it is unknown whether the guest runs
 * - `off`, `on`: the guest is, and the VM shows something else
 * - `stray`: the guest runs though it was switched off, or suspended
 */
export type Finding = 'missing' | 'unseen' | 'off' | 'on' | 'stray';

/** What a look at the guest, undefined where there is none, makes of its VM. */
export function judgeGuest(vm: RecordedVm, power: GuestSight['power'] | undefined): Finding | undefined {
  // One that never came into being, or is half deleted, has what its jobs have left.
  if (vm.active_job_id || !vm.provisioned_at || vm.deletion_failed_at) return undefined;
  // Whatever the engine says, or does not say, of a host that cannot be reached.
  if (power === 'unknown' || vm.host_lost) return 'unseen';
  if (power === undefined) return 'missing';
  const runs = power !== 'off';
  switch (vm.status) {
    case 'running':
      return runs ? undefined : 'off';
    case 'stopped':
      if (!runs) return undefined;
      return vm.wanted_power === 'on' ? 'on' : 'stray';
    case 'suspended':
      return runs ? 'stray' : undefined;
    case 'error':
      return runs ? 'on' : 'off';
    default:
      return undefined;
  }
}
