import { idOf } from '../../names.ts';
import { inputOf, type Tool, VM } from '../tool.ts';

const ACTION = {
  action: {
    type: 'string',
    enum: ['start', 'stop', 'reboot'],
    description: 'As its system does it: gracefully',
  },
};

export const powerVm: Tool = {
  name: 'power_vm',
  title: 'Start, stop or reboot a VM',
  description: 'Starts a VM, or shuts it down or reboots it gracefully. It answers with a job: wait_for_vm.',
  scopes: ['vm:write'],
  power: 'write',
  input: inputOf({ ...VM, ...ACTION }),
  async call({ client, signal }, { vm, action }) {
    const id = await idOf(client, 'vm', vm as string, []);
    const { vms } = client;
    if (action === 'start') return { data: await vms.start(id, { signal }) };
    return { data: await vms[action as 'stop' | 'reboot'](id, {}, { signal }) };
  },
};
