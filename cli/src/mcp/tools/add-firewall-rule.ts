import type { AddFirewallRuleRequest } from '../../../../sdk/src/index.ts';
import { idOf } from '../../names.ts';
import { confirmed } from '../confirmed.ts';
import { inputOf, type Tool, VM } from '../tool.ts';

const FIELDS = ['direction', 'protocol', 'ports', 'cidrs', 'priority', 'description'];

const ruleOf = (action: 'accept' | 'drop', body: Record<string, unknown>) =>
  ({ ...body, action }) as unknown as AddFirewallRuleRequest;

/** A rule that drops traffic exposes nothing, so it needs no confirmation. */
export const addFirewallRule: Tool = {
  name: 'add_firewall_rule',
  title: 'Add a firewall rule that drops',
  description:
    'Adds a rule that drops traffic to the firewall of a VM. Rules are checked from the lowest priority on, and the first match decides. To let traffic pass, use open_firewall.',
  scopes: ['vm:write'],
  power: 'write',
  input: inputOf(VM, 'addFirewallRule', FIELDS),
  async call({ client, signal }, { vm, ...body }) {
    const id = await idOf(client, 'vm', vm as string, []);
    return { data: await client.firewall.add(id, ruleOf('drop', body), { signal }) };
  },
};

/** A rule that accepts traffic may expose the VM to everyone, so a person must confirm it. */
export const openFirewall = confirmed<string>({
  preview: {
    name: 'preview_open_firewall',
    title: 'Preview a firewall rule that accepts',
    description: 'Shows the rule and the existing rules; required before open_firewall.',
    scopes: ['vm:read'],
  },
  action: {
    name: 'open_firewall',
    title: 'Add a firewall rule that accepts',
    description:
      'Adds a rule that lets traffic pass the firewall of a VM. Rules are checked from the lowest priority on, and the first match decides.',
    scopes: ['vm:write'],
  },
  input: inputOf(VM, 'addFirewallRule', FIELDS),
  async look({ client, signal }, { vm, ...body }) {
    const id = await idOf(client, 'vm', vm as string, []);
    const rules: object[] = [];
    for await (const rule of client.firewall.list(id, {}, { signal })) rules.push(rule);
    return { data: { vm_id: id, new_rule: ruleOf('accept', body), rules }, terms: id };
  },
  act: ({ client, signal }, { vm: _, ...body }, id) =>
    client.firewall.add(id, ruleOf('accept', body), { signal }),
});
