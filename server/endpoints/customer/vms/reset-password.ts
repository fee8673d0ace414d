import { findTemplate } from '../../../domain/catalog/lookup.ts';
import { SEALED_FOR } from '../../../domain/vms/job-inputs.ts';
import { generatePassword } from '../../../domain/vms/passwords.ts';
import { startJob, withJob } from '../../../domain/vms/start-job.ts';
import { requireAllowed } from '../../../domain/vms/states.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Shape, VmParams } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { agentAnswers, requireAgent } from './agent-check.ts';
import { USERNAME } from './inputs.ts';
import { exampleJob, JobShape, presentJob } from './job-shape.ts';
import { loadVmForChange } from './load-vm.ts';
import { exampleVm, presentVm, VmShape } from './vm-shape.ts';

export const resetPassword = endpoint({
  audience: 'customer',
  operation: 'resetPassword',
  method: 'POST',
  path: '/v1/vm/{id}/reset-password',
  scope: 'vm:write',
  tag: 'vm',
  summary: 'Reset a password inside a VM',
  description: 'The new password is only in this response and works once the job has succeeded.',
  secret: true,
  params: VmParams,
  body: Input({ username: Type.Optional(USERNAME) }),
  data: Shape(
    {
      vm: VmShape,
      job: JobShape,
      username: Type.String(),
      password: Type.String({ description: 'Shown once' }),
    },
    { $id: 'PasswordReset', description: 'A new password, and the job that sets it' },
  ),
  errors: ['vm_locked', 'invalid_state', 'vm_suspended', 'guest_agent_unavailable', 'compute_unavailable'],
  example: {
    vm: { ...exampleVm, status: 'running' },
    job: { ...exampleJob, kind: 'reset_password' },
    username: 'root',
    password: 'mKc4RuWq8yTzN2vBsJ6h',
  },
  prepare: agentAnswers,
  load: loadVmForChange,
  async handle({ resource: vm, body, prepared, db, services, caller, now }) {
    requireAllowed(vm, 'reset_password');
    requireAgent(prepared);
    const username = body.username ?? findTemplate(services.catalog, vm.template)?.default_user ?? 'root';
    const password = generatePassword();
    const input = { username, sealed_password: services.secrets.seal(password, SEALED_FOR.reset) };
    const job = await startJob({ db, services, caller, now }, vm, { kind: 'reset_password', input });
    return { data: { vm: presentVm(withJob(vm, job, now)), job: presentJob(job), username, password } };
  },
});
