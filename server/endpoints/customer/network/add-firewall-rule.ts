import { countFirewallRules, findTwinRule, insertFirewallRule } from '../../../db/queries/vms/network.ts';
import { requireMatch } from '../../../domain/network/firewall-rule.ts';
import { beginNetworkChange } from '../../../domain/network/network-change.ts';
import { recordCallerEvent } from '../../../domain/vms/events.ts';
import { accountLimits, requireBelow } from '../../../domain/vms/quotas.ts';
import { requireAllowed } from '../../../domain/vms/states.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { VmParams } from '../../../http/schemas.ts';
import { ApiError, invalidField } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { loadVmForChange } from '../vms/load-vm.ts';
import {
  exampleFirewallRule,
  FirewallRuleInput,
  FirewallRuleShape,
  presentFirewallRule,
} from './firewall-rule-shape.ts';

export const addFirewallRule = endpoint({
  audience: 'customer',
  operation: 'addFirewallRule',
  method: 'POST',
  path: '/v1/vm/{id}/firewall',
  scope: 'vm:write',
  tag: 'vm',
  summary: 'Add a firewall rule',
  description: [
    'Allowed in every state except deleting and suspended. Networks must not have bits set to the right of their prefix; `icmp`',
    'accepts only IPv4 networks, `icmpv6` only IPv6 ones. A rule that is equivalent to an existing one is refused with',
    '`rule_exists` and `details.existing_id`.',
  ].join(' '),
  params: VmParams,
  body: FirewallRuleInput,
  data: FirewallRuleShape,
  errors: ['invalid_state', 'vm_suspended', 'quota_exceeded', 'rule_exists'],
  example: exampleFirewallRule,
  load: loadVmForChange,
  async handle(context) {
    const { resource: vm, body, db, services, caller, now } = context;
    const match = requireMatch({ ...body, ports: body.ports ?? null });
    if (services.compute.capabilities().refusedProtocols.includes(match.protocol))
      throw invalidField('protocol', 'not_supported', `rules of ${match.protocol} are not possible here`);
    requireAllowed(vm, 'configure');
    const rule = {
      ...match,
      account_id: vm.account_id,
      vm_id: vm.id,
      direction: body.direction,
      action: body.action,
      priority: body.priority ?? 100,
      enabled: body.enabled ?? true,
    };
    const twin = await findTwinRule(db, rule);
    if (twin) throw new ApiError('rule_exists', 'The VM already has this rule.', { existing_id: twin.id });
    const limits = await accountLimits(db, services.catalog, vm.account_id);
    requireBelow('firewall_rules_per_vm', limits.firewall_rules_per_vm, await countFirewallRules(db, vm.id));
    const row = await insertFirewallRule(db, {
      ...rule,
      id: newId('fwr', services.clock),
      description: body.description ?? null,
      status: 'pending',
      generation: await beginNetworkChange(context, vm.id),
      created_at: now,
    });
    await recordCallerEvent(db, services.clock, caller, vm.id, {
      type: 'firewall.rule_added',
      message: 'A firewall rule was added.',
      metadata: { rule_id: row.id },
    });
    return { data: presentFirewallRule(row) };
  },
});
