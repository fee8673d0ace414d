import { idOf } from '../../names.ts';
import { confirmed } from '../confirmed.ts';
import { inputOf, VM } from '../tool.ts';

export const forceStopVm = confirmed<string>({
  preview: {
    name: 'preview_force_stop',
    title: 'Preview a power-off',
    description: 'Shows the VM that would be powered off; required before force_stop_vm.',
    scopes: ['vm:read'],
  },
  action: {
    name: 'force_stop_vm',
    title: 'Power off a VM',
    description:
      'Cuts the power of a VM that does not shut down with power_vm. Data that it has not yet written to disk is lost.',
    scopes: ['vm:write'],
  },
  input: inputOf(VM),
  async look({ client, signal }, { vm: given }) {
    const id = await idOf(client, 'vm', given as string, []);
    const { hostname, status } = await client.vms.get(id, {}, { signal });
    return {
      data: { id, hostname, status, lost: 'data that its system has not yet written to disk' },
      terms: id,
    };
  },
  act: ({ client, signal }, _, id) => client.vms.forceStop(id, { signal }),
});
