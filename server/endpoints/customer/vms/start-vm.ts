import { endpoint } from '../../../http/endpoint.ts';
import { VmParams } from '../../../http/schemas.ts';
import { loadVmForChange } from './load-vm.ts';
import { answerWithJob, exampleVmJob, VmJobShape } from './requests.ts';

export const startVm = endpoint({
  audience: 'customer',
  operation: 'startVm',
  method: 'POST',
  path: '/v1/vm/{id}/start',
  scope: 'vm:write',
  tag: 'vm',
  summary: 'Start a VM',
  description: 'Allowed when the VM is stopped or in error.',
  params: VmParams,
  data: VmJobShape,
  errors: ['vm_locked', 'invalid_state', 'vm_suspended', 'compute_unavailable'],
  example: exampleVmJob,
  load: loadVmForChange,
  handle: (context) => answerWithJob(context, 'start', { kind: 'start' }),
});
