import { idOf } from '../../names.ts';
import { firstOf } from '../lists.ts';
import { inputOf, type Tool, VM } from '../tool.ts';

export const describeVm: Tool = {
  name: 'describe_vm',
  title: 'Describe a VM',
  description:
    'Everything about one VM: state, jobs, firewall rules, port forwards, snapshots, volumes and billing.',
  scopes: ['vm:read'],
  power: 'read',
  input: inputOf(VM),
  async call({ client, signal }, { vm: given }) {
    const id = await idOf(client, 'vm', given as string, []);
    const options = { signal };
    const [vm, firewall, port_forwards, snapshots, volumes, billing] = await Promise.all([
      client.vms.get(id, {}, options),
      firstOf((limit) => client.firewall.list(id, { limit }, options), 50),
      firstOf((limit) => client.portForwards.list(id, { limit }, options), 50),
      firstOf((limit) => client.snapshots.list(id, { limit }, options), 50),
      firstOf((limit) => client.vms.volumes(id, { limit }, options), 50),
      client.vms.billing(id, options),
    ]);
    return { data: { vm, firewall, port_forwards, snapshots, volumes, billing } };
  },
};
