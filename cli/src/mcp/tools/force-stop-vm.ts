import { idOf } from '../../names.ts';
import { confirmed } from '../confirmed.ts';
import { inputOf, VM } from '../tool.ts';

export const forceStopVm = confirmed<string>({
  preview: {
    name: 'preview_force_stop',
    title: 'What cutting the power would do',
    description: 'Shows the VM whose power would be cut; needed before force_stop_vm.',
    scopes: ['vm:read'],
  },
  action: {
    name: 'force_stop_vm',
    title: 'Cut the power of a VM',
    description:
      'Cuts the power of a VM that does not shut down by power_vm. What its system has not written is lost.',
    scopes: ['vm:write'],
  },
  input: inputOf(VM),
  async look({ client, signal }, { vm: given }) {
    const id = await idOf(client, 'vm', given as string, []);
    const { hostname, status } = await client.vms.get(id, {}, { signal });
    return { data: { id, hostname, status, lost: 'what its system has not written to disk' }, terms: id };
  },
  act: ({ client, signal }, _, id) => client.vms.forceStop(id, { signal }),
});
