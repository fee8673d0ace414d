import type { AddShieldRuleRequest } from '../../../../sdk/src/index.ts';
import { TARGET, TENANT, targetOf } from '../shield.ts';
import { inputOf, type Tool } from '../tool.ts';

// Without `confirm_block_all`: only a person may create a rule that drops everything.
const FIELDS = [
  ...['action', 'protocol', 'source', 'source_ports', 'destination_ports', 'rate', 'priority', 'comment'],
  'expires_at',
];

export const addShieldRule: Tool = {
  name: 'add_shield_rule',
  title: 'Add a blocking rule',
  description: 'Drops or limits traffic to a protected address before it reaches the VM.',
  scopes: ['shield:write', 'shield:read'],
  power: 'write',
  input: inputOf({ ...TENANT, ...TARGET }, 'addShieldRule', FIELDS),
  async call({ client, signal }, { tenant, target, ...body }) {
    const [tenantId, targetId] = await targetOf(client, { tenant, target });
    const rule = body as unknown as AddShieldRuleRequest;
    return { data: await client.shield.addRule(tenantId, targetId, rule, { signal }) };
  },
};
