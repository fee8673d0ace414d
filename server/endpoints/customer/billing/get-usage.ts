import { billedVms } from '../../../db/queries/money/billed-vms.ts';
import { accountConsumption } from '../../../db/queries/money/consumption.ts';
import { netOfOrders } from '../../../db/queries/money/orders.ts';
import { accountUsage } from '../../../db/queries/vms/account-usage.ts';
import { openUsageMinor } from '../../../domain/billing/arrears.ts';
import { sum, toJsonInteger } from '../../../domain/billing/money.ts';
import { calendarMonth } from '../../../domain/billing/period.ts';
import { LimitsSchema } from '../../../domain/catalog/catalog-schema.ts';
import { accountLimits } from '../../../domain/vms/quotas.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Count, Currency, Minor, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

// Without today's upper bound on grants, because an account may have been granted more in the past.
const LimitsShape = Shape(
  { ...LimitsSchema.properties, vms: Type.Integer({ minimum: 1 }) },
  { $id: 'Limits', description: 'Quotas of the account' },
);

export const getUsage = endpoint({
  audience: 'customer',
  operation: 'getUsage',
  method: 'GET',
  path: '/v1/client/usage',
  scope: 'billing:read',
  tag: 'billing',
  summary: 'Get current usage and limits',
  description: 'Sizes and counts are current; traffic and cost cover the calendar month (UTC) so far.',
  data: Shape(
    {
      period_start_at: Timestamp('Start of the month'),
      period_end_at: Timestamp('Start of the next month'),
      vms: Count('VMs'),
      vcpu: Count('Virtual CPUs of all VMs'),
      ram_mb: Count('Memory of all VMs in MiB'),
      disk_gb: Count('Disks of all VMs in GB'),
      snapshots: Count('Snapshots of all VMs'),
      traffic_out_bytes: Type.Integer({ minimum: 0, description: 'Sent by all VMs, including deleted ones' }),
      cost_to_date_minor: Minor('Charges minus refunds'),
      usage_minor: Minor('Usage of the VMs that has not been charged yet'),
      currency: Currency,
      limits: LimitsShape,
    },
    { $id: 'Usage', description: 'Usage and limits of an account' },
  ),
  errors: [],
  example: {
    period_start_at: '2026-01-01T00:00:00.000Z',
    period_end_at: '2026-02-01T00:00:00.000Z',
    vms: 2,
    vcpu: 5,
    ram_mb: 9216,
    disk_gb: 100,
    snapshots: 1,
    traffic_out_bytes: 48201733120,
    cost_to_date_minor: 399,
    usage_minor: 0,
    currency: 'EUR',
    limits: {
      vms: 50,
      vcpu: 200,
      ram_mb: 409600,
      disk_gb: 5000,
      snapshots_per_vm: 5,
      firewall_rules_per_vm: 100,
      port_forwards_per_vm: 50,
      ssh_keys: 100,
    },
  },
  async handle({ caller, db, services, now }) {
    const month = calendarMonth(now);
    const [usage, consumption, cost, limits, vms] = await Promise.all([
      accountUsage(db, caller.accountId),
      accountConsumption(db, caller.accountId, month),
      netOfOrders(db, caller.accountId, month),
      accountLimits(db, services.catalog, caller.accountId),
      billedVms(db, caller.accountId),
    ]);
    return {
      data: {
        period_start_at: month.startAt,
        period_end_at: month.endAt,
        ...usage,
        snapshots: consumption.snapshots,
        traffic_out_bytes: toJsonInteger(consumption.traffic_out_bytes),
        cost_to_date_minor: toJsonInteger(cost),
        usage_minor: toJsonInteger(sum(vms.map((vm) => openUsageMinor(vm, services.catalog, now)))),
        currency: services.catalog.currency,
        limits,
      },
    };
  },
});
