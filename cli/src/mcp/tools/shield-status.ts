import { firstOf } from '../lists.ts';
import { TARGET, TENANT, targetOf, tenantOf } from '../shield.ts';
import { inputOf, type Tool } from '../tool.ts';

export const shieldStatus: Tool = {
  name: 'shield_status',
  title: 'DDoS Shield',
  description:
    'The DDoS Shield: its status and the protected addresses; for one address, its blocking rules and attacks.',
  scopes: ['shield:read'],
  power: 'read',
  input: inputOf({ ...TENANT, target: { ...TARGET.target, optional: true } }),
  async call({ client, signal }, given) {
    const options = { signal };
    if (given.target === undefined) {
      const tenant = await tenantOf(client, given.tenant);
      const [summary, targets] = await Promise.all([
        client.shield.summary(tenant, options),
        firstOf((limit) => client.shield.targets(tenant, { limit }, options), 50),
      ]);
      return { data: { summary, targets } };
    }
    const [tenant, target] = await targetOf(client, given);
    const [rules, attacks] = await Promise.all([
      firstOf((limit) => client.shield.rules(tenant, target, { limit }, options), 50),
      firstOf((limit) => client.shield.attacks(tenant, target, { limit }, options)),
    ]);
    return { data: { tenant_id: tenant, target_id: target, rules, attacks } };
  },
};
