import { JOB_KINDS, type JobKind, VM_STATUSES, type VmStatus, type WantedPower } from '../../db/enums.ts';
import type { VmRenewal } from '../../db/queries/vms/vm-parts.ts';
import type { VmRow } from '../../db/queries/vms/vms.ts';
import { ApiError, computeUnavailable } from '../../platform/errors.ts';
import { wayBack } from '../billing/dunning-events.ts';

export { JOB_KINDS, type JobKind, VM_STATUSES, type VmStatus };

export type VmOperation =
  | 'start'
  | 'stop'
  | 'reboot'
  | 'force_stop'
  | 'reset_password'
  | 'attach_ssh_key'
  | 'change_plan'
  | 'snapshot'
  | 'restore'
  | 'rebuild'
  | 'configure'
  | 'set_renewal'
  | 'console'
  | 'ssh'
  | 'delete';

interface Rule {
  allowed: readonly VmStatus[];
  /** True if the operation starts a job. It is then refused while another job is running… */
  exclusive: boolean;
  /** …unless the running job is one of these, which it cancels. */
  preempts: readonly JobKind[];
}

const LIVE = ['running', 'starting', 'stopping', 'rebooting'] as const;
const ALL_BUT_DELETING = VM_STATUSES.filter((status) => status !== 'deleting');
const rule = (allowed: readonly VmStatus[], exclusive = true, preempts: readonly JobKind[] = []): Rule => ({
  allowed,
  exclusive,
  preempts,
});

/**
 * The only table of which operations are allowed when. `change_plan` on a running VM also needs the caller's permission
 * to reboot; see {@link requireResizable}.
 */
export const OPERATIONS: Record<VmOperation, Rule> = {
  start: rule(['stopped', 'error']),
  stop: rule(['running']),
  reboot: rule(['running']),
  force_stop: rule([...LIVE, 'error'], true, ['start', 'stop', 'reboot']),
  reset_password: rule(['running']),
  attach_ssh_key: rule(['running']),
  change_plan: rule(['stopped', 'running']),
  snapshot: rule(['running', 'stopped']),
  // These also work in the error state, because they replace the disk.
  restore: rule(['running', 'stopped', 'error']),
  rebuild: rule(['running', 'stopped', 'error']),
  configure: rule(
    ALL_BUT_DELETING.filter((status) => status !== 'suspended'),
    false,
  ),
  // Renewal is how a suspended VM comes back.
  set_renewal: rule(ALL_BUT_DELETING, false),
  console: rule(LIVE, false),
  ssh: rule(['running'], false),
  delete: rule(
    ALL_BUT_DELETING,
    true,
    [...JOB_KINDS].filter((kind) => kind !== 'delete'),
  ),
};

/** Why a job failed. The set may grow. */
export const JOB_ERROR_CODES = [
  'compute_unavailable',
  'capacity_unavailable',
  'unknown_template',
  'guest_shutdown_timeout',
  'guest_agent_unavailable',
  'disk_shrink_not_supported',
  'timed_out',
  'abandoned',
  'internal_error',
] as const;
export type JobErrorCode = (typeof JOB_ERROR_CODES)[number];

/** The state that a VM shows while a job of this kind is running; null leaves it unchanged. */
export const STATUS_DURING: Record<JobKind, VmStatus | null> = {
  create: 'provisioning',
  start: 'starting',
  stop: 'stopping',
  force_stop: 'stopping',
  reboot: 'rebooting',
  reset_password: null,
  attach_ssh_key: null,
  change_plan: 'resizing',
  change_custom: 'resizing',
  snapshot_create: null,
  snapshot_delete: null,
  snapshot_restore: 'provisioning',
  rebuild: 'provisioning',
  move: null,
  delete: 'deleting',
};

/** The fields of a VM that the table of operations depends on. */
export interface VmState extends VmRenewal {
  status: VmStatus;
  active_job_id: string | null;
  active_job_kind: JobKind | null;
  /** Null until the VM has been created. */
  provisioned_at: Date | null;
  wanted_power: WantedPower;
  /** Set while the VM is suspended for its account's debt. */
  debt_suspended_at?: Date | null;
  /** Its host cannot be reached. */
  host_lost?: boolean | null;
  last_job?: { kind: JobKind; error_message: string | null } | null;
}

/**
 * Refuses an operation that the VM's lock or state does not allow, with `vm_locked`, `vm_suspended` or `invalid_state`,
 * in the contract's order (lock before state). Also refuses one that needs the guest while its host cannot be reached,
 * with `compute_unavailable`.
 */
export function requireAllowed(vm: VmState, operation: VmOperation): void {
  requireState(vm, operation);
  if (vm.host_lost && !WITHOUT_GUEST.has(operation))
    throw computeUnavailable('the host of the VM cannot be reached');
}

/** Operations that only change the VM's record, or wait until its guest can be reached. */
const WITHOUT_GUEST: ReadonlySet<VmOperation> = new Set(['configure', 'set_renewal']);

function requireState(vm: VmState, operation: VmOperation): void {
  const { allowed, exclusive, preempts } = OPERATIONS[operation];
  if (exclusive && vm.active_job_id && !preempts.includes(vm.active_job_kind!)) {
    throw new ApiError('vm_locked', 'Another job is running on this VM.', {
      job_id: vm.active_job_id,
      job_kind: vm.active_job_kind,
    });
  }
  // Operations on the guest need one; the record can be changed and removed without.
  const neverMade =
    vm.status === 'error' &&
    !vm.provisioned_at &&
    !['delete', 'configure', 'set_renewal'].includes(operation);
  // A VM that is off but should be on is about to be restarted, which its customer may prevent.
  const calledOff = operation === 'force_stop' && vm.status === 'stopped' && vm.wanted_power === 'on';
  if ((allowed.includes(vm.status) || calledOff) && !neverMade) return;
  if (vm.status === 'suspended') {
    throw new ApiError(
      'vm_suspended',
      vm.debt_suspended_at
        ? 'The VM is suspended because the account owes money. Pay the debt to get it back.'
        : `The VM is suspended because it is unpaid. To get it back, ${wayBack(vm)}.`,
    );
  }
  if (neverMade) {
    const message = 'The VM could not be created and was not charged. Delete it.';
    throw new ApiError('invalid_state', message, { status: vm.status, allowed: [] });
  }
  const message = `${whyInState(vm)} It must be ${allowed.join(' or ')}.`;
  throw new ApiError('invalid_state', message, { status: vm.status, allowed });
}

/** Describes the state of a VM; for a VM in error, also its cause and how to leave it. */
function whyInState({ status, last_job: job }: VmState): string {
  if (status !== 'error') return `The VM is ${status}.`;
  const cause = job?.error_message
    ? `, because its last job (${job.kind}) failed: ${job.error_message}`
    : '.';
  return `The VM is in error${cause} Start it or force it to stop.`;
}

type Deletion = Pick<VmRow, 'status' | 'deletion_failed_at'>;

/** Refuses to renew a VM whose deletion failed: it was refunded, and its guest may be half deleted. */
export function requireRenewable(vm: Deletion): void {
  requireNotHalfDeleted(vm, 'It cannot be renewed. Delete it again.');
}

/** Refuses to restore or rebuild a VM whose deletion failed. */
export function requireWhole(vm: Deletion): void {
  requireNotHalfDeleted(vm, 'Delete it again.');
}

function requireNotHalfDeleted({ status, deletion_failed_at }: Deletion, wayOut: string): void {
  if (!deletion_failed_at) return;
  const message = `The deletion of the VM could not be finished. ${wayOut}`;
  throw new ApiError('invalid_state', message, { status, allowed: [] });
}

/** Checks lock and state for a change of size: a running VM has to be power-cycled, which the caller must allow. */
export function requireResizable(vm: VmState, allowReboot: boolean): void {
  requireAllowed(vm, 'change_plan');
  if (vm.status === 'running' && !allowReboot) {
    throw new ApiError('vm_must_be_stopped', 'Stop the VM first, or send allow_reboot: true.', {
      status: vm.status,
    });
  }
}
