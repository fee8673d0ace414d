import type { VmView } from '../../../db/queries/vms/vms.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { VM_STATUSES } from '../../../domain/vms/states.ts';
import { Currency, Enum, Id, Minor, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { billingFields, presentBilling } from '../../customer/vms/vm-shape.ts';
import { JobKindShape } from '../shared/job-kind-shape.ts';

export const vmFields = {
  id: Id('vm'),
  account_id: Id('acc'),
  hostname: Type.String(),
  status: Enum(VM_STATUSES, { $id: 'VmStatus', description: 'State of a VM' }),
  plan: Nullable(Type.String({ description: 'Plan code; null for a custom configuration' })),
  vcpu: Type.Integer(),
  ram_mb: Type.Integer(),
  disk_gb: Type.Integer(),
  template: Type.String(),
  region: Type.String(),
  zone: Type.String(),
  ipv4: Nullable(Type.String({ format: 'ipv4' })),
  ipv6: Nullable(Type.String({ format: 'ipv6' })),
  price_monthly_minor: Minor('Monthly price at the time of sale'),
  ...billingFields,
  currency: Currency,
  paid_until: Timestamp(),
  unpaid_since: Nullable(Timestamp()),
  active_job: Nullable(Shape({ id: Id('job'), kind: JobKindShape })),
  created_at: Timestamp(),
};

export const VmShape = Shape(vmFields, { $id: 'Vm', description: 'A VM of any account' });

export function presentVm(vm: VmView) {
  return {
    id: vm.id,
    account_id: vm.account_id,
    hostname: vm.hostname,
    status: vm.status,
    plan: vm.plan,
    vcpu: vm.vcpu,
    ram_mb: vm.ram_mb,
    disk_gb: vm.disk_gb,
    template: vm.template,
    region: vm.region,
    zone: vm.zone,
    ipv4: vm.ipv4,
    ipv6: vm.ipv6,
    price_monthly_minor: toJsonInteger(vm.price_monthly_minor),
    ...presentBilling(vm),
    currency: vm.currency,
    paid_until: vm.billing_period_end_at,
    unpaid_since: vm.unpaid_since,
    active_job: vm.active_job && { id: vm.active_job.id, kind: vm.active_job.kind },
    created_at: vm.created_at,
  };
}

export const startedJobFields = { vm_id: Id('vm'), job_id: Id('job'), kind: JobKindShape };
