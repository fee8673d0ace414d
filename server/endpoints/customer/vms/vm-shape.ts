import { THROTTLE_CAUSES, WANTED_POWERS } from '../../../db/enums.ts';
import type { VmRow, VmView } from '../../../db/queries/vms/vms.ts';
import { BILLING_MODES, type BillingMode } from '../../../domain/billing/metering.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { hourlyText } from '../../../domain/billing/pricing.ts';
import { RENEWAL_PRIORITY } from '../../../domain/billing/ranking.ts';
import { VM_STATUSES } from '../../../domain/vms/states.ts';
import {
  Currency,
  Decimal,
  Enum,
  Id,
  Minor,
  MoveWindowShape,
  Nullable,
  Shape,
  Timestamp,
} from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { exampleJob, JobShape, presentJob } from './job-shape.ts';

const Positive = (description: string) => Type.Integer({ minimum: 1, description });

export const billingFields = {
  price_hourly: Nullable(Decimal('Hourly price at the time of sale; null with monthly billing')),
  billing_mode: Enum(BILLING_MODES, {
    $id: 'BillingMode',
    description: 'Billing mode of the current period',
  }),
  next_billing_mode: Enum(BILLING_MODES, {
    $id: 'BillingMode',
    description: 'Billing mode of future periods',
  }),
};

export function presentBilling(vm: VmRow) {
  const { price_hourly_micros, currency, next_billing_mode } = vm;
  const billing_mode: BillingMode = price_hourly_micros === null ? 'monthly' : 'hourly';
  const price_hourly = hourlyText(price_hourly_micros, currency);
  return { price_hourly, billing_mode, next_billing_mode };
}

const ThrottleShape = Shape(
  {
    mbps: Type.Integer({ minimum: 0, description: 'In Mbit/s; 0 blocks all traffic' }),
    cause: Enum(THROTTLE_CAUSES, {
      $id: 'ThrottleCause',
      description:
        '`included_traffic` ends with the next period or with a plan that includes more; `unpaid_usage` ends with a top-up',
    }),
  },
  {
    $id: 'Throttle',
    description: 'Speed limit because the traffic has reached a bound; absent if there is none',
  },
);

export const VmShape = Shape(
  {
    id: Id('vm'),
    hostname: Type.String(),
    notes: Nullable(Type.String()),
    status: Enum(VM_STATUSES, { $id: 'VmStatus' }),
    wanted_power: Enum(WANTED_POWERS, {
      $id: 'WantedPower',
      description:
        'Desired power state: the service restarts a VM that is off although it should be `on`; until then, `force-stop` cancels the restart',
    }),
    locked: Type.Boolean({
      description: 'True while a job is running; operations that start another job are refused',
    }),
    active_job: Nullable(JobShape),
    last_job: Nullable(JobShape),
    plan: Nullable(Type.String({ description: 'Plan code; null for a custom configuration' })),
    is_custom: Type.Boolean(),
    vcpu: Positive('Virtual CPUs'),
    ram_mb: Positive('Memory in MiB'),
    disk_gb: Positive('Disk in GB'),
    bandwidth_gb: Nullable(Positive('Included traffic per month in GB; null if unmetered')),
    template: Type.String({ description: 'Code of the OS image' }),
    region: Type.String(),
    zone: Type.String(),
    ipv4: Nullable(Type.String({ format: 'ipv4' })),
    ipv6: Nullable(Type.String({ format: 'ipv6' })),
    price_monthly_minor: Minor('Monthly price at the time of sale'),
    ...billingFields,
    currency: Currency,
    auto_renew: Type.Boolean({ description: 'True if it renews at the end of its period' }),
    renewal_priority: Type.Integer({
      minimum: RENEWAL_PRIORITY.minimum,
      maximum: RENEWAL_PRIORITY.maximum,
      description: 'If the wallet does not cover all renewals, lower numbers are renewed first',
    }),
    billing_period_start_at: Timestamp('Start of the paid period'),
    billing_period_end_at: Timestamp('End of the paid period'),
    move_window: Nullable(MoveWindowShape),
    throttle: Nullable(ThrottleShape),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { $id: 'Vm', description: 'A virtual machine' },
);

/**
 * Returns whether its owner is stopping the VM. The row says `off` only when that is done, because until then a guest
 * that cannot be seen counts as running.
 */
const isBeingStopped = ({ active_job: job }: VmView) =>
  job !== null && !job.by_service && (job.kind === 'stop' || job.kind === 'force_stop');

export function presentVm(vm: VmView) {
  return {
    id: vm.id,
    hostname: vm.hostname,
    notes: vm.notes,
    status: vm.status,
    wanted_power: isBeingStopped(vm) ? 'off' : vm.wanted_power,
    locked: vm.active_job_id !== null,
    active_job: vm.active_job && presentJob(vm.active_job),
    last_job: vm.last_job && presentJob(vm.last_job),
    plan: vm.plan,
    is_custom: vm.plan === null,
    vcpu: vm.vcpu,
    ram_mb: vm.ram_mb,
    disk_gb: vm.disk_gb,
    bandwidth_gb: vm.bandwidth_gb,
    template: vm.template,
    region: vm.region,
    zone: vm.zone,
    ipv4: vm.ipv4,
    ipv6: vm.ipv6,
    price_monthly_minor: toJsonInteger(vm.price_monthly_minor),
    ...presentBilling(vm),
    currency: vm.currency,
    auto_renew: vm.auto_renew,
    renewal_priority: vm.renewal_priority,
    billing_period_start_at: vm.billing_period_start_at,
    billing_period_end_at: vm.billing_period_end_at,
    move_window: vm.move_from_at && { from_at: vm.move_from_at, to_at: vm.move_to_at },
    throttle: vm.throttle_mbps === null ? null : { mbps: vm.throttle_mbps, cause: vm.throttle_cause },
    created_at: vm.created_at,
    updated_at: vm.updated_at,
  };
}

export const exampleVm = {
  id: exampleJob.vm_id,
  hostname: 'web-1',
  notes: null,
  status: 'provisioning',
  wanted_power: 'off',
  locked: true,
  active_job: exampleJob,
  last_job: null,
  plan: 's1',
  is_custom: false,
  vcpu: 1,
  ram_mb: 1024,
  disk_gb: 20,
  bandwidth_gb: 1000,
  template: 'debian-12',
  region: 'eu-west',
  zone: 'eu-west-a',
  ipv4: '100.64.0.2',
  ipv6: '2001:db8:1::2',
  price_monthly_minor: 399,
  price_hourly: null,
  billing_mode: 'monthly',
  next_billing_mode: 'monthly',
  currency: 'EUR',
  auto_renew: true,
  renewal_priority: RENEWAL_PRIORITY.default,
  billing_period_start_at: '2026-01-05T09:30:00.000Z',
  billing_period_end_at: '2026-02-05T09:30:00.000Z',
  move_window: null,
  throttle: null,
  created_at: '2026-01-05T09:30:00.000Z',
  updated_at: '2026-01-05T09:30:00.000Z',
};
