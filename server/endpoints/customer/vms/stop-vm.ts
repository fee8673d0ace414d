import { endpoint } from '../../../http/endpoint.ts';
import { VmParams } from '../../../http/schemas.ts';
import { loadVmForChange } from './load-vm.ts';
import { answerWithJob, exampleVmJob, PowerBody, VmJobShape } from './requests.ts';

export const stopVm = endpoint({
  audience: 'customer',
  operation: 'stopVm',
  method: 'POST',
  path: '/v1/vm/{id}/stop',
  scope: 'vm:write',
  tag: 'vm',
  summary: 'Stop a VM gracefully',
  description:
    'The job succeeds only when the guest is off; otherwise it fails with `guest_shutdown_timeout` and the VM keeps running.',
  params: VmParams,
  body: PowerBody,
  data: VmJobShape,
  errors: ['vm_locked', 'invalid_state', 'vm_suspended', 'compute_unavailable'],
  example: exampleVmJob,
  load: loadVmForChange,
  handle: (context) =>
    answerWithJob(context, 'stop', {
      kind: 'stop',
      input: { timeout_seconds: context.body.timeout_seconds ?? 60 },
    }),
});
