import type { AddPortForwardRequest } from '../../../../sdk/src/index.ts';
import { idOf } from '../../names.ts';
import { confirmed } from '../confirmed.ts';
import { inputOf, VM } from '../tool.ts';

const FIELDS = ['protocol', 'external_port', 'internal_port', 'internal_ip', 'description'];

/** A port forward makes a port of the VM public, so a person must confirm it. */
export const addPortForward = confirmed<string>({
  preview: {
    name: 'preview_port_forward',
    title: 'Preview a port forward',
    description: 'Shows the VM and the port that would become public; required before add_port_forward.',
    scopes: ['vm:read'],
  },
  action: {
    name: 'add_port_forward',
    title: 'Forward a port to a VM',
    description: 'Forwards a port of the shared public address to a VM.',
    scopes: ['vm:write'],
  },
  input: inputOf(VM, 'addPortForward', FIELDS),
  async look({ client, signal }, { vm: given, ...forward }) {
    const id = await idOf(client, 'vm', given as string, []);
    const { hostname } = await client.vms.get(id, {}, { signal });
    return { data: { vm_id: id, hostname, new_forward: forward, reachable_from: 'anywhere' }, terms: id };
  },
  act: ({ client, signal }, { vm: _, ...forward }, id) =>
    client.portForwards.add(id, forward as unknown as AddPortForwardRequest, { signal }),
});
