import { idOf } from '../../names.ts';
import { firstOf } from '../lists.ts';
import { inputOf, LIMIT, type Tool, VM } from '../tool.ts';

export const vmEvents: Tool = {
  name: 'vm_events',
  title: 'Events of a VM',
  description: 'The events of a VM, newest first: power, jobs and their errors, billing, changes.',
  scopes: ['vm:read'],
  power: 'read',
  input: inputOf({ ...VM, ...LIMIT }, 'listEvents', ['type']),
  async call({ client, signal }, { vm, limit, ...query }) {
    const id = await idOf(client, 'vm', vm as string, []);
    const list = (most: number) => client.vms.events(id, { ...query, limit: most }, { signal });
    return { data: await firstOf(list, limit) };
  },
};
