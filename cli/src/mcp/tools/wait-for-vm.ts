import { ApiError } from '../../../../sdk/src/index.ts';
import { idOf } from '../../names.ts';
import { inputOf, type Tool, VM } from '../tool.ts';

export const waitForVm: Tool = {
  name: 'wait_for_vm',
  title: 'Wait for a VM',
  description:
    'Waits up to 30 seconds until a VM has no running job, and returns its state. Call it again while a job is running.',
  scopes: ['vm:read'],
  power: 'read',
  input: inputOf(VM),
  async call({ client, signal }, { vm: given }) {
    const id = await idOf(client, 'vm', given as string, []);
    try {
      const vm = await client.vms.get(id, { wait_seconds: 30 }, { signal });
      const { hostname, status, ipv4, ipv6, active_job, last_job } = vm;
      return { data: { id, hostname, status, ipv4, ipv6, active_job, last_job } };
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
      return { said: 'This VM does not exist or no longer exists.', data: { id } };
    }
  },
};
