import { endpoint } from '../../../http/endpoint.ts';
import { VmParams } from '../../../http/schemas.ts';
import { loadVmForChange } from './load-vm.ts';
import { answerWithJob, exampleVmJob, VmJobShape } from './requests.ts';

export const forceStopVm = endpoint({
  audience: 'customer',
  operation: 'forceStopVm',
  method: 'POST',
  path: '/v1/vm/{id}/force-stop',
  scope: 'vm:write',
  tag: 'vm',
  summary: 'Power off a VM',
  description: 'Pre-empts a running start, stop or reboot, whose job is then canceled.',
  params: VmParams,
  data: VmJobShape,
  errors: ['vm_locked', 'invalid_state', 'vm_suspended', 'compute_unavailable'],
  example: exampleVmJob,
  load: loadVmForChange,
  handle: (context) => answerWithJob(context, 'force_stop', { kind: 'force_stop' }),
});
