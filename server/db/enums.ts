/** States of a VM; a deleted VM is absent. */
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

/** What a job does. */
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
  'delete',
] as const;
export type JobKind = (typeof JOB_KINDS)[number];
