import { findPlan } from '../../domain/catalog/lookup.ts';
import { askChangeAdmission } from '../../domain/vms/admission.ts';
import { changeVm, planChange } from '../../domain/vms/change-vm.ts';
import { Type } from '../../platform/schema.ts';
import { endpoint } from '../endpoint.ts';
import { Input, VmParams } from '../schemas.ts';
import { ALLOW_REBOOT, ChangeShape, exampleChange, presentChange } from './change-shape.ts';
import { MAX_CHARGE } from './inputs.ts';
import { loadVmForChange } from './load-vm.ts';

export const changePlan = endpoint({
  operation: 'changePlan',
  method: 'POST',
  path: '/v1/vm/{id}/change-plan',
  scope: 'vm:plan',
  tag: 'vm',
  summary: 'Change the plan of a VM',
  description:
    'Charges or refunds the difference for the rest of the period, to the second; `plan-quote` shows it beforehand. The end of the period does not move.',
  idempotent: true,
  params: VmParams,
  body: Input({
    plan: Type.String({ maxLength: 63, description: 'Plan code', examples: ['s2'] }),
    resize_disk: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Grow the disk to the size of the plan; a disk cannot shrink again',
      }),
    ),
    allow_reboot: Type.Optional(ALLOW_REBOOT),
    max_charge_minor: Type.Optional(MAX_CHARGE),
  }),
  data: ChangeShape,
  errors: [
    'insufficient_funds',
    'vm_locked',
    'invalid_state',
    'vm_suspended',
    'vm_must_be_stopped',
    'quota_exceeded',
    'price_changed',
    'unknown_plan',
    'plan_not_available_in_region',
    'disk_shrink_not_supported',
    'compute_unavailable',
    'capacity_unavailable',
  ],
  example: exampleChange,
  load: loadVmForChange,
  async prepare({ caller, params, body, services }) {
    const plan = typeof body.plan === 'string' ? findPlan(services.catalog, body.plan) : undefined;
    return plan ? askChangeAdmission(services, caller.accountId, params.id, plan) : null;
  },
  async handle({ resource: vm, body, prepared, db, services, caller, now }) {
    const target = planChange(services.catalog, vm, body.plan, body.resize_disk ?? true);
    const change = await changeVm({ db, services, caller, now }, vm, {
      kind: 'change_plan',
      target,
      allowReboot: body.allow_reboot ?? false,
      maxChargeMinor: body.max_charge_minor,
      admission: prepared,
    });
    return { data: presentChange(vm, change, now) };
  },
});
