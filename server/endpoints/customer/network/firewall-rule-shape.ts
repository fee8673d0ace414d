import type { FirewallRuleRow } from '../../../db/queries/vms/network.ts';
import { ACTIONS, DIRECTIONS, PROTOCOLS } from '../../../domain/network/firewall-rule.ts';
import { Enum, Id, Input, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

/** States of the rules that the engine applies: firewall rules and port forwards. */
export const RuleStatus = Enum(['pending', 'active', 'removing', 'error'], {
  $id: 'NetworkRuleStatus',
  description: '`pending` until the engine has it, `removing` until the engine has released it',
});

const Direction = Enum(DIRECTIONS, { $id: 'FirewallDirection', description: '`in` is traffic to the VM' });
const Action = Enum(ACTIONS, { $id: 'FirewallAction' });
const Protocol = Enum(PROTOCOLS, { $id: 'FirewallProtocol' });
const Ports = Type.String({
  maxLength: 11,
  description: 'A port or a range from 1 to 65535, only for tcp and udp; null for all ports',
  examples: ['443', '1024-5000'],
});
const Cidrs = Type.Array(
  Type.String({ maxLength: 43, description: 'IPv4 or IPv6 network', examples: ['203.0.113.0/24'] }),
  {
    minItems: 1,
    maxItems: 100,
    description: 'Networks on the other side: sources of `in`, destinations of `out`',
  },
);
const priority = {
  minimum: 0,
  maximum: 1000,
  description: 'Lower values are checked first; the first match decides',
};
const Description = Type.String({ maxLength: 200 });

export const FirewallRuleShape = Shape(
  {
    id: Id('fwr'),
    direction: Direction,
    action: Action,
    protocol: Protocol,
    ports: Nullable(Ports),
    cidrs: Cidrs,
    priority: Type.Integer(priority),
    enabled: Type.Boolean(),
    description: Nullable(Description),
    status: RuleStatus,
    created_at: Timestamp(),
  },
  { $id: 'FirewallRule', description: 'A firewall rule of a VM' },
);

export const FirewallRuleInput = Input({
  direction: Direction,
  action: Action,
  protocol: Protocol,
  ports: Type.Optional(Nullable(Ports)),
  cidrs: Cidrs,
  priority: Type.Optional(Type.Integer({ ...priority, default: 100 })),
  enabled: Type.Optional(
    Type.Boolean({ default: true, description: 'A disabled rule is kept but has no effect' }),
  ),
  description: Type.Optional(Nullable(Description)),
});

export function presentFirewallRule(rule: FirewallRuleRow) {
  return {
    id: rule.id,
    direction: rule.direction,
    action: rule.action,
    protocol: rule.protocol,
    ports: rule.ports,
    cidrs: rule.cidrs,
    priority: rule.priority,
    enabled: rule.enabled,
    description: rule.description,
    status: rule.status,
    created_at: rule.created_at,
  };
}

export const exampleFirewallRule = {
  id: 'fwr_01ke1y5r2s8w4y6a0c2e4g6j8k',
  direction: 'in',
  action: 'accept',
  protocol: 'tcp',
  ports: '443',
  cidrs: ['0.0.0.0/0', '::/0'],
  priority: 100,
  enabled: true,
  description: 'HTTPS',
  status: 'pending',
  created_at: '2026-01-05T09:45:00.000Z',
};
