import { firstOf } from '../lists.ts';
import { inputOf, LIMIT, type Tool } from '../tool.ts';

export const listVms: Tool = {
  name: 'list_vms',
  title: 'List VMs',
  description: 'The VMs of the account with their state, size, addresses and monthly price in minor units.',
  scopes: ['vm:read'],
  power: 'read',
  input: inputOf(LIMIT, 'listVms', ['status', 'region', 'hostname']),
  async call({ client, signal }, { limit, ...query }) {
    const { items, more } = await firstOf(
      (most) => client.vms.list({ ...query, limit: most }, { signal }),
      limit,
    );
    const vms = items.map((vm) => ({
      id: vm.id,
      hostname: vm.hostname,
      status: vm.status,
      job: vm.active_job?.kind ?? null,
      plan: vm.plan,
      vcpu: vm.vcpu,
      ram_mb: vm.ram_mb,
      disk_gb: vm.disk_gb,
      template: vm.template,
      region: vm.region,
      ipv4: vm.ipv4,
      ipv6: vm.ipv6,
      price_monthly_minor: vm.price_monthly_minor,
      currency: vm.currency,
    }));
    return { data: { vms, more } };
  },
};
