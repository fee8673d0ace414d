import { JOB_KINDS, type JobKind, VM_STATUSES, type VmStatus } from '../../db/enums.ts';
import { ApiError } from '../../platform/errors.ts';

export { JOB_KINDS, type JobKind, VM_STATUSES, type VmStatus };

/** What a caller may ask of a VM. */
export type VmOperation =
  | 'start'
  | 'stop'
  | 'reboot'
  | 'force_stop'
  | 'reset_password'
  | 'attach_ssh_key'
  | 'change_plan'
  | 'snapshot'
  | 'configure'
  | 'console'
  | 'ssh'
  | 'delete';

interface Rule {
  /** States in which the operation is allowed. */
  allowed: readonly VmStatus[];
  /** It starts a job, so it waits for no other: while one runs it is refused… */
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
 * The one table of what is possible when. `change_plan` in a running VM additionally needs the caller's
 * leave to reboot; see {@link requireResizable}.
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
  configure: rule(
    ALL_BUT_DELETING.filter((status) => status !== 'suspended'),
    false,
  ),
  console: rule(LIVE, false),
  ssh: rule(['running'], false),
  delete: rule(
    ALL_BUT_DELETING,
    true,
    [...JOB_KINDS].filter((kind) => kind !== 'delete'),
  ),
};

/** The state a VM shows while a job of this kind runs; null leaves it as it is. */
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
  delete: 'deleting',
};

/** What the state table needs to know of a VM. */
export interface VmState {
  status: VmStatus;
  active_job_id: string | null;
  active_job_kind: JobKind | null;
  /** Null while it has never come into being. */
  provisioned_at: Date | null;
}

/**
 * Refuses an operation that the VM's lock or state does not allow: `vm_locked`, `vm_suspended` or
 * `invalid_state`, in the contract's order (lock before state).
 */
export function requireAllowed(vm: VmState, operation: VmOperation): void {
  const { allowed, exclusive, preempts } = OPERATIONS[operation];
  if (exclusive && vm.active_job_id && !preempts.includes(vm.active_job_kind!)) {
    throw new ApiError('vm_locked', 'Another job is running on this VM.', {
      job_id: vm.active_job_id,
      job_kind: vm.active_job_kind,
    });
  }
  const neverMade = vm.status === 'error' && !vm.provisioned_at && operation !== 'delete';
  if (allowed.includes(vm.status) && !neverMade) return;
  if (vm.status === 'suspended') {
    throw new ApiError(
      'vm_suspended',
      'The VM is suspended because it is unpaid. Top up the wallet, or delete it.',
    );
  }
  if (neverMade) {
    const message = 'The VM could not be created and was not charged. Delete it.';
    throw new ApiError('invalid_state', message, { status: vm.status, allowed: [] });
  }
  throw new ApiError('invalid_state', `The VM is ${vm.status}; this needs ${allowed.join(' or ')}.`, {
    status: vm.status,
    allowed,
  });
}

/** Lock and state for a change of size: a running VM has to be power-cycled, which the caller must allow. */
export function requireResizable(vm: VmState, allowReboot: boolean): void {
  requireAllowed(vm, 'change_plan');
  if (vm.status === 'running' && !allowReboot) {
    throw new ApiError('vm_must_be_stopped', 'Stop the VM first, or send allow_reboot: true.', {
      status: vm.status,
    });
  }
}
