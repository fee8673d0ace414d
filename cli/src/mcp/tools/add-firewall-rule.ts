import type { AddFirewallRuleRequest } from '../../../../sdk/src/index.ts';
import { idOf } from '../../names.ts';
import { inputOf, type Tool, VM } from '../tool.ts';

const FIELDS = ['direction', 'action', 'protocol', 'ports', 'cidrs', 'priority', 'description'];

export const addFirewallRule: Tool = {
  name: 'add_firewall_rule',
  title: 'Add a firewall rule',
  description:
    'Adds a rule to the firewall of a VM. The first rule that matches decides, the lowest priority first.',
  scopes: ['vm:write'],
  power: 'write',
  input: inputOf(VM, 'addFirewallRule', FIELDS),
  async call({ client, signal }, { vm, ...body }) {
    const id = await idOf(client, 'vm', vm as string, []);
    return { data: await client.firewall.add(id, body as unknown as AddFirewallRuleRequest, { signal }) };
  },
};
