import type { TerraformAttribute } from './emit-terraform.ts';

/** A Terraform resource or data source, and the operations of the customer API that it is derived from. */
export interface KindPlan {
  /** Without the provider's prefix. */
  name: string;
  /** For a resource, its operations; `read` may be a list that is searched by id. */
  create?: string;
  read: string;
  update?: string;
  delete?: string;
  /** The field of the `create` response that contains the resource. */
  answer?: string;
  /** Fields that change on their own, so a plan could not predict them. */
  omit?: string[];
  /** Attributes that have another name in the service's response. */
  from?: Record<string, string>;
  /** Attributes in addition to those of the operations, or in place of them. */
  more?: TerraformAttribute[];
  /** For a data source: the field of the response that it lists. */
  items?: string;
  /** For a data source: the attributes by which an item is found in the list. */
  findBy?: string[];
}

const optional = { optional: true } as const;
const either = { optional: true, computed: true } as const;
const custom = 'if the VM has no plan; set all three together';

export const RESOURCES: KindPlan[] = [
  {
    name: 'vm',
    create: 'createVm',
    read: 'getVm',
    update: 'updateVm',
    delete: 'deleteVm',
    answer: 'vm',
    omit: [
      ...['status', 'locked', 'active_job', 'last_job', 'is_custom', 'updated_at', 'start'],
      ...['billing_mode', 'next_billing_mode', 'billing_period_start_at', 'billing_period_end_at'],
    ],
    from: { billing: 'next_billing_mode' },
    more: [
      { name: 'plan', type: 'string', ...either, create: true, in_place: true, description: 'Plan code' },
      { name: 'vcpu', type: 'number', ...either, minimum: 1, description: `Virtual CPUs, ${custom}` },
      { name: 'ram_mb', type: 'number', ...either, minimum: 1, description: `Memory in MiB, ${custom}` },
      { name: 'disk_gb', type: 'number', ...either, minimum: 1, description: `Disk in GB, ${custom}` },
      {
        name: 'max_charge_minor',
        type: 'number',
        ...either,
        create: true,
        in_place: true,
        unread: true,
        minimum: 0,
        description:
          'Maximum cost of the change, in minor units: a higher price is refused. Defaults to the price at the time of the plan',
      },
      {
        name: 'wanted_power',
        type: 'string',
        ...either,
        values: ['on', 'off'],
        description: '`on` if it should be running',
      },
      { name: 'allow_reboot', type: 'bool', ...optional, description: 'Power-cycle it to change its size' },
      {
        name: 'resize_disk',
        type: 'bool',
        ...optional,
        description: 'Grow the disk to the size of a new plan; defaults to true',
      },
      {
        name: 'initial_password',
        type: 'string',
        computed: true,
        sensitive: true,
        description: 'Generated only if neither a key nor a password was given',
      },
    ],
  },
  {
    name: 'firewall_rule',
    create: 'addFirewallRule',
    read: 'listFirewallRules',
    delete: 'deleteFirewallRule',
    omit: ['status'],
  },
  {
    name: 'port_forward',
    create: 'addPortForward',
    read: 'listPortForwards',
    delete: 'deletePortForward',
    omit: ['status'],
  },
  {
    name: 'snapshot',
    create: 'createSnapshot',
    read: 'listSnapshots',
    delete: 'deleteSnapshot',
    answer: 'snapshot',
    omit: ['status'],
  },
  { name: 'ssh_key', create: 'addSshKey', read: 'listSshKeys', delete: 'deleteSshKey' },
  {
    name: 'shield_rule',
    create: 'addShieldRule',
    read: 'listShieldRules',
    delete: 'deleteShieldRule',
    omit: ['status'],
  },
];

export const DATA_SOURCES: KindPlan[] = [
  { name: 'plans', read: 'getCatalog', items: 'plans' },
  { name: 'templates', read: 'getCatalog', items: 'templates' },
  { name: 'regions', read: 'getCatalog', items: 'regions' },
  { name: 'custom_quote', read: 'getCustomQuote', omit: ['as_of', 'valid_until'] },
  { name: 'wallet', read: 'getWallet' },
  { name: 'vm', read: 'listVms', findBy: ['id', 'hostname'] },
  { name: 'ssh_key', read: 'listSshKeys', findBy: ['id', 'name', 'fingerprint'] },
  { name: 'shield_target', read: 'listShieldTargets', findBy: ['id', 'ip', 'vm_id'] },
];

/** Timeouts of the provider for changes of a resource; some changes wait for a VM's job. */
export const TIMEOUTS: TerraformAttribute = {
  name: 'timeouts',
  type: 'object',
  ...optional,
  description: 'Maximum duration of a change, such as "20m"; defaults to 10 minutes each',
  attributes: ['create', 'update', 'delete'].map((name) => ({ name, type: 'string', ...optional })),
};
