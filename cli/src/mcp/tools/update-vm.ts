import { idOf } from '../../names.ts';
import { inputOf, type Tool, VM } from '../tool.ts';

export const updateVm: Tool = {
  name: 'update_vm',
  title: 'Rename a VM or change its notes',
  description: 'Changes the hostname or the notes of a VM.',
  scopes: ['vm:write'],
  power: 'write',
  input: inputOf(VM, 'updateVm', ['hostname', 'notes']),
  async call({ client, signal }, { vm, ...body }) {
    const id = await idOf(client, 'vm', vm as string, []);
    return { data: await client.vms.update(id, body, { signal }) };
  },
};
