import { askHosts } from '../../../compute/ask.ts';
import { changeVm } from '../../../domain/vms/change-vm.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, VmParams } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { ALLOW_REBOOT, CHANGE_ERRORS, ChangeShape, exampleChange, presentChange } from './change-shape.ts';
import { MAX_CHARGE } from './inputs.ts';
import { loadVmForChange } from './load-vm.ts';

export const changePlan = endpoint({
  audience: 'customer',
  operation: 'changePlan',
  method: 'POST',
  path: '/v1/vm/{id}/change-plan',
  money: true,
  scope: 'vm:plan',
  tag: 'vm',
  summary: 'Change the plan of a VM',
  description:
    'Charges or refunds the difference for the rest of the period, to the second; `plan-quote` shows it beforehand. The end of the period does not move. After the end of the period, the size cannot be changed until the VM is renewed. A VM that was upgraded shortly before the end (within 72 hours, unless your provider says otherwise) has no grace period if the renewal is not covered.',
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
  errors: [...CHANGE_ERRORS, 'unknown_plan', 'plan_not_available_in_region'],
  example: exampleChange,
  load: loadVmForChange,
  prepare: ({ services }) => askHosts(services),
  async handle({ resource: vm, body, prepared, db, services, caller, now }) {
    const change = await changeVm({ db, services, caller, now }, vm, {
      kind: 'change_plan',
      wish: { plan: body.plan, resizeDisk: body.resize_disk ?? true },
      allowReboot: body.allow_reboot ?? false,
      maxChargeMinor: body.max_charge_minor,
      hosts: prepared,
    });
    return { data: presentChange(vm, change, now) };
  },
});
