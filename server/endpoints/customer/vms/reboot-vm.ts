import { endpoint } from '../../../http/endpoint.ts';
import { VmParams } from '../../../http/schemas.ts';
import { loadVmForChange } from './load-vm.ts';
import { answerWithJob, exampleVmJob, PowerBody, VmJobShape } from './requests.ts';

export const rebootVm = endpoint({
  audience: 'customer',
  operation: 'rebootVm',
  method: 'POST',
  path: '/v1/vm/{id}/reboot',
  scope: 'vm:write',
  tag: 'vm',
  summary: 'Reboot a VM',
  description: 'Reboots gracefully if the guest responds in time, and with a hard reset otherwise.',
  params: VmParams,
  body: PowerBody,
  data: VmJobShape,
  errors: ['vm_locked', 'invalid_state', 'vm_suspended', 'compute_unavailable'],
  example: exampleVmJob,
  load: loadVmForChange,
  handle: (context) =>
    answerWithJob(context, 'reboot', {
      kind: 'reboot',
      input: { timeout_seconds: context.body.timeout_seconds ?? 60 },
    }),
});
