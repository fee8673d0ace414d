import { listFirewallRules as queryRules } from '../../../db/queries/vms/network.ts';
import { ACTIONS, DEFAULT_POLICY } from '../../../domain/network/firewall-rule.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Enum, PageQuery, Shape, VmParams } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { loadVm } from '../vms/load-vm.ts';
import { exampleFirewallRule, FirewallRuleShape, presentFirewallRule } from './firewall-rule-shape.ts';

export const listFirewallRules = endpoint({
  audience: 'customer',
  operation: 'listFirewallRules',
  method: 'GET',
  path: '/v1/vm/{id}/firewall',
  scope: 'vm:read',
  tag: 'vm',
  summary: 'List the firewall rules of a VM',
  description: [
    'Newest first. Rules are checked by `priority`, lowest first, and with the same priority the older one first; a packet that',
    'matches no rule is handled by `default_policy`. Replies on allowed connections always pass.',
  ].join(' '),
  params: VmParams,
  query: Type.Object(PageQuery),
  data: Type.Array(FirewallRuleShape),
  paginated: true,
  beside: {
    default_policy: Shape(
      {
        in: Enum(ACTIONS, { $id: 'FirewallAction' }),
        out: Enum(ACTIONS, { $id: 'FirewallAction' }),
      },
      { $id: 'FirewallPolicy', description: 'Action for packets that match no rule' },
    ),
  },
  errors: ['invalid_cursor'],
  example: [{ ...exampleFirewallRule, status: 'active' }],
  load: loadVm,
  async handle({ resource: vm, query, db }) {
    const page = pageFrom(query);
    const rules = await queryRules(db, vm.id, page);
    return { ...paginated(rules, page, presentFirewallRule), default_policy: DEFAULT_POLICY };
  },
});
