import type { FirewallPolicy } from '../../../sdk/src/index.ts';
import type { Specs } from '../command.ts';
import { deletion } from '../questions.ts';

export const firewall = {
  listFirewallRules: {
    columns: ['id', 'priority', 'direction', 'action', 'protocol', 'ports', 'cidrs', 'status'],
    wide: ['enabled', 'description', 'created_at'],
    footer: ({ default_policy }) => {
      const policy = default_policy as FirewallPolicy;
      return `Traffic that matches no rule: in ${policy.in}, out ${policy.out}.`;
    },
    example: 'vauban firewall list web-1',
  },
  addFirewallRule: {
    example:
      'vauban firewall add web-1 --direction in --action accept --protocol tcp --ports 443 --cidrs 0.0.0.0/0,::/0',
  },
  deleteFirewallRule: {
    question: (session, { ids }) => deletion(session, 'Delete this firewall rule?', ids),
    example: 'vauban firewall delete web-1 fwr_01ke1y0a2b4c6d8e0f2g4h6j8k',
  },
} satisfies Specs;
