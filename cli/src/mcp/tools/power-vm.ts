import { idOf } from '../../names.ts';
import { confirmed } from '../confirmed.ts';
import { inputOf, type Tool, VM } from '../tool.ts';

export const startVm: Tool = {
  name: 'start_vm',
  title: 'Start a VM',
  description: 'Starts a VM that is off. Returns a job: follow it with wait_for_vm.',
  scopes: ['vm:write'],
  power: 'write',
  input: inputOf(VM),
  async call({ client, signal }, { vm }) {
    const id = await idOf(client, 'vm', vm as string, []);
    return { data: await client.vms.start(id, { signal }) };
  },
};

const ACTION = {
  action: {
    type: 'string',
    enum: ['stop', 'reboot'],
    description: 'Gracefully, by its own system',
  },
};

/** This interrupts whatever runs on the VM, so a person must confirm it. */
export const powerVm = confirmed<string>({
  preview: {
    name: 'preview_power_vm',
    title: 'Preview a stop or reboot',
    description: 'Shows the VM that would be shut down or rebooted; required before power_vm.',
    scopes: ['vm:read'],
  },
  action: {
    name: 'power_vm',
    title: 'Stop or reboot a VM',
    description: 'Shuts a VM down or reboots it gracefully. Returns a job: follow it with wait_for_vm.',
    scopes: ['vm:write'],
  },
  input: inputOf({ ...VM, ...ACTION }),
  async look({ client, signal }, { vm: given, action }) {
    const id = await idOf(client, 'vm', given as string, []);
    const { hostname, status } = await client.vms.get(id, {}, { signal });
    return { data: { id, hostname, status, action, interrupted: 'everything that runs on it' }, terms: id };
  },
  act: ({ client, signal }, { action }, id) => client.vms[action as 'stop' | 'reboot'](id, {}, { signal }),
});
