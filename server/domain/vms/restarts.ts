import { availableParallelism } from 'node:os';
import type { VmChange, VmRow } from '../../db/queries/vms/vms.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';

/** The rules by which the service restarts VMs: the catalog's `restart` with its defaults. */
export interface RestartPolicy {
  policy: 'on_failure' | 'never';
  atOnce: number;
  firstWaitMs: number;
  longestWaitMs: number;
  stableAfterMs: number;
}

const SECOND_MS = 1_000;
/** A guest that ends right after booting is retried soon, but costs the host little in the long run. */
const FIRST_WAIT_SECONDS = 15;
const LONGEST_WAIT_SECONDS = 900;
const STABLE_AFTER_SECONDS = 600;

export function restartPolicy({ restart = {} }: Pick<Catalog, 'restart'>): RestartPolicy {
  return {
    policy: restart.policy ?? 'on_failure',
    // Booting more VMs at once than there are cores only slows each of them down.
    atOnce: restart.at_once ?? availableParallelism(),
    firstWaitMs: (restart.first_wait_seconds ?? FIRST_WAIT_SECONDS) * SECOND_MS,
    longestWaitMs: (restart.longest_wait_seconds ?? LONGEST_WAIT_SECONDS) * SECOND_MS,
    stableAfterMs: (restart.stable_after_seconds ?? STABLE_AFTER_SECONDS) * SECOND_MS,
  };
}

/** The columns of a VM that is in the power state its customer wants. */
export const NOT_RESTARTED = { restart_attempts: 0, restart_next_at: null } satisfies VmChange;

/** The fields that decide whether a VM may be restarted. */
export type Restartable = Pick<
  VmRow,
  | 'status'
  | 'wanted_power'
  | 'active_job_id'
  | 'provisioned_at'
  | 'deleted_at'
  | 'deletion_failed_at'
  | 'unpaid_since'
  | 'suspended_at'
  | 'billing_period_end_at'
  | 'restart_next_at'
>;

/**
 * Returns whether the service may start the VM: its customer wants it on, it is off, no job is running on it, and it is
 * paid for. A VM whose period is over has to be renewed first.
 */
export function mayRestart(vm: Restartable, now: Date): boolean {
  const isPaid = !vm.unpaid_since && !vm.suspended_at && vm.billing_period_end_at > now;
  const exists = vm.provisioned_at && !vm.deleted_at && !vm.deletion_failed_at;
  if (vm.status !== 'stopped' || vm.wanted_power !== 'on' || vm.active_job_id) return false;
  return Boolean(exists) && isPaid && (!vm.restart_next_at || vm.restart_next_at <= now);
}

/**
 * Returns the columns to write when the service starts a VM: the number of consecutive starts, and when the next is
 * allowed.
 */
export function nextRestart(attempts: number, now: Date, policy: RestartPolicy) {
  const restart_attempts = attempts + 1;
  const wait = Math.min(policy.firstWaitMs * 2 ** Math.min(attempts, 30), policy.longestWaitMs);
  return { restart_attempts, restart_next_at: new Date(now.getTime() + wait) };
}
