/** A deleted VM has no status. */
export const VM_STATUSES = [
  'provisioning',
  'stopped',
  'starting',
  'running',
  'stopping',
  'rebooting',
  'resizing',
  'deleting',
  'suspended',
  'error',
] as const;
export type VmStatus = (typeof VM_STATUSES)[number];

export const WANTED_POWERS = ['on', 'off'] as const;
export type WantedPower = (typeof WANTED_POWERS)[number];

/** States that the operator puts a host in. */
export const HOST_STATES = ['up', 'draining', 'evacuated'] as const;
export type HostState = (typeof HOST_STATES)[number];

export const JOB_KINDS = [
  'create',
  'start',
  'stop',
  'force_stop',
  'reboot',
  'reset_password',
  'attach_ssh_key',
  'change_plan',
  'change_custom',
  'snapshot_create',
  'snapshot_delete',
  'snapshot_restore',
  'rebuild',
  'move',
  'delete',
] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** The complete list of types in a VM's event log: no other is recorded, and none can be filtered by. */
export const EVENT_TYPES = [
  'agent.command_started',
  'billing.adjusted',
  'billing.charged',
  'billing.debt',
  'billing.debt_due',
  'billing.debt_settled',
  'billing.debt_suspended',
  'billing.deletion_due',
  'billing.ended',
  'billing.plan_retires',
  'billing.price_change',
  'billing.renewal_due',
  'billing.suspension_failed',
  'billing.traffic_limited',
  'billing.traffic_used',
  'billing.unpaid',
  'billing.usage_unpaid',
  'billing.written_off',
  'console.ticket_issued',
  'console.token_issued',
  'console_share.created',
  'console_share.revoked',
  'firewall.rule_added',
  'firewall.rule_removed',
  'guest.crashed',
  'guest.powered_off',
  'guest.ready',
  'guest.rebooted',
  'guest.warning',
  'job.failed',
  'port_forward.added',
  'port_forward.removed',
  'snapshot.created',
  'snapshot.deleted',
  'snapshot.restored',
  'vm.created',
  'vm.deleted',
  'vm.move_canceled',
  'vm.move_scheduled',
  'vm.moved',
  'vm.password_reset',
  'vm.rebooted',
  'vm.rebuilt',
  'vm.resized',
  'vm.ssh_key_attached',
  'vm.started',
  'vm.stopped',
  'vm.suspended',
  'vm.updated',
  ...JOB_KINDS.map((kind) => `vm.${kind}_requested` as const),
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** A person's role in an account, from the most rights to the least. */
export const ROLES = ['owner', 'operator', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** Permissions that an API key can have. */
export const SCOPES = [
  'catalog:read',
  'vm:read',
  'vm:write',
  'vm:create',
  'vm:plan',
  'vm:destroy',
  'vm:console',
  'sshkey:read',
  'sshkey:write',
  'billing:read',
  'shield:read',
  'shield:write',
] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * Why a VM's network is throttled: the VM has sent its included traffic, or its account has used more than it can pay
 * for.
 */
export const THROTTLE_CAUSES = ['included_traffic', 'unpaid_usage'] as const;
export type ThrottleCause = (typeof THROTTLE_CAUSES)[number];
