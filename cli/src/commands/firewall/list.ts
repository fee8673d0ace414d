import type { FirewallPolicy } from '../../../../sdk/src/index.ts';
import { command } from '../../command.ts';

export const listFirewallRules = command('listFirewallRules', {
  columns: ['id', 'priority', 'direction', 'action', 'protocol', 'ports', 'cidrs', 'status'],
  wide: ['enabled', 'description', 'created_at'],
  footer: ({ default_policy }) => {
    const policy = default_policy as FirewallPolicy;
    return `Traffic that matches no rule: in ${policy.in}, out ${policy.out}.`;
  },
  example: 'vauban firewall list web-1',
});
