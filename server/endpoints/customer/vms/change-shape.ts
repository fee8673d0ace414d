import type { VmView } from '../../../db/queries/vms/vms.ts';
import type { VmChange } from '../../../domain/vms/change-vm.ts';
import { withJob } from '../../../domain/vms/start-job.ts';
import { Enum, Shape } from '../../../http/schemas.ts';
import type { ErrorCode } from '../../../platform/errors.ts';
import { type Static, Type } from '../../../platform/schema.ts';
import { exampleOrder, OrderShape, presentOrder } from '../shared/order-shape.ts';
import { exampleJob, JobShape, presentJob } from './job-shape.ts';
import { exampleVm, presentVm, VmShape } from './vm-shape.ts';

export const CHANGE_ERRORS = [
  'insufficient_funds',
  'vm_locked',
  'invalid_state',
  'vm_suspended',
  'payment_due',
  'vm_must_be_stopped',
  'same_plan',
  'quota_exceeded',
  'price_changed',
  'disk_shrink_not_supported',
  'compute_unavailable',
  'capacity_unavailable',
] as const satisfies readonly ErrorCode[];

/** A custom size; fields that are left out stay as they are. */
export const SizeInput = {
  vcpu: Type.Optional(Type.Integer({ minimum: 1, description: 'Virtual CPUs' })),
  ram_mb: Type.Optional(Type.Integer({ minimum: 1, description: 'Memory in MiB' })),
  disk_gb: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Disk in GB; cannot be smaller than it is now' }),
  ),
};
const Size = Type.Object(SizeInput);
export type SizeInput = Static<typeof Size>;

export const ALLOW_REBOOT = Type.Boolean({
  default: false,
  description: 'Power-cycle the VM if it is running',
});

export const IRREVERSIBLE = Type.Array(Enum(['disk_gb'], { $id: 'IrreversibleField' }), {
  description: 'Fields that cannot be changed back: a disk that grows cannot shrink again',
});

/** Returns the parts of a change that cannot be undone. */
export const irreversible = (from: { disk_gb: number }, to: { disk_gb: number }): 'disk_gb'[] =>
  to.disk_gb > from.disk_gb ? ['disk_gb'] : [];

/** Reply of change-plan and change-custom. */
export const ChangeShape = Shape(
  { vm: VmShape, job: JobShape, order: OrderShape, irreversible: IRREVERSIBLE },
  { $id: 'VmJobOrder', description: 'A VM, the job that changes it and the order that pays for it' },
);

export function presentChange(vm: VmView, { job, order, target }: VmChange, now: Date) {
  return {
    vm: presentVm(withJob(vm, job, now)),
    job: presentJob(job),
    order: presentOrder(order),
    irreversible: irreversible(vm, target),
  };
}

export const exampleChange = {
  vm: { ...exampleVm, status: 'resizing', active_job: { ...exampleJob, kind: 'change_plan' } },
  job: { ...exampleJob, kind: 'change_plan' },
  order: { ...exampleOrder, kind: 'change_plan', amount_minor: 312 },
  irreversible: ['disk_gb'],
};
