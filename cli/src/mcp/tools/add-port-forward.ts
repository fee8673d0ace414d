import type { AddPortForwardRequest } from '../../../../sdk/src/index.ts';
import { idOf } from '../../names.ts';
import { inputOf, type Tool, VM } from '../tool.ts';

const FIELDS = ['protocol', 'external_port', 'internal_port', 'internal_ip', 'description'];

export const addPortForward: Tool = {
  name: 'add_port_forward',
  title: 'Forward a port to a VM',
  description: 'Leads a port of the shared public address to a VM.',
  scopes: ['vm:write'],
  power: 'write',
  input: inputOf(VM, 'addPortForward', FIELDS),
  async call({ client, signal }, { vm, ...body }) {
    const id = await idOf(client, 'vm', vm as string, []);
    return { data: await client.portForwards.add(id, body as unknown as AddPortForwardRequest, { signal }) };
  },
};
