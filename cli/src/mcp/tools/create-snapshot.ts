import { idOf } from '../../names.ts';
import { inputOf, type Tool, VM } from '../tool.ts';

export const createSnapshot: Tool = {
  name: 'create_snapshot',
  title: 'Take a snapshot',
  description: 'Takes a snapshot of a VM. Returns a job: follow it with wait_for_vm.',
  scopes: ['vm:write'],
  power: 'write',
  input: inputOf(VM, 'createSnapshot', ['name', 'description']),
  async call({ client, signal }, { vm, ...body }) {
    const id = await idOf(client, 'vm', vm as string, []);
    return { data: await client.snapshots.create(id, body, { signal }) };
  },
};
