import { askHosts } from '../../../compute/ask.ts';
import { changeVm } from '../../../domain/vms/change-vm.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, VmParams } from '../../../http/schemas.ts';
import { validationFailed } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import {
  ALLOW_REBOOT,
  CHANGE_ERRORS,
  ChangeShape,
  exampleChange,
  presentChange,
  SizeInput,
} from './change-shape.ts';
import { MAX_CHARGE } from './inputs.ts';
import { loadVmForChange } from './load-vm.ts';

export const changeCustom = endpoint({
  audience: 'customer',
  operation: 'changeCustom',
  method: 'POST',
  path: '/v1/vm/{id}/change-custom',
  money: true,
  scope: 'vm:plan',
  tag: 'vm',
  summary: 'Change a VM to a custom size',
  description:
    'Allows sizes within the `custom_limits` of the catalog, at its unit prices. Fields that are absent stay as they are.',
  idempotent: true,
  params: VmParams,
  body: Input(
    { ...SizeInput, allow_reboot: Type.Optional(ALLOW_REBOOT), max_charge_minor: Type.Optional(MAX_CHARGE) },
    { examples: [{ vcpu: 2, ram_mb: 4096 }] },
  ),
  data: ChangeShape,
  errors: CHANGE_ERRORS,
  example: exampleChange,
  load: loadVmForChange,
  prepare: ({ services }) => askHosts(services),
  async handle({ resource: vm, body, prepared, db, services, caller, now }) {
    const { vcpu, ram_mb, disk_gb } = body;
    if (vcpu === undefined && ram_mb === undefined && disk_gb === undefined) {
      throw validationFailed(
        ['vcpu', 'ram_mb', 'disk_gb'].map((field) => ({
          field,
          code: 'required',
          message: 'send at least one of vcpu, ram_mb and disk_gb',
        })),
      );
    }
    const change = await changeVm({ db, services, caller, now }, vm, {
      kind: 'change_custom',
      wish: { size: { vcpu, ram_mb, disk_gb } },
      allowReboot: body.allow_reboot ?? false,
      maxChargeMinor: body.max_charge_minor,
      hosts: prepared,
    });
    return { data: presentChange(vm, change, now) };
  },
});
