import { findFirewallRule, removeFirewallRule } from '../../../db/queries/vms/network.ts';
import { beginNetworkChange } from '../../../domain/network/network-change.ts';
import { recordCallerEvent } from '../../../domain/vms/events.ts';
import { requireAllowed } from '../../../domain/vms/states.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Deleted, PathId } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { loadVmForChange } from '../vms/load-vm.ts';
import { exampleFirewallRule } from './firewall-rule-shape.ts';

export const deleteFirewallRule = endpoint({
  audience: 'customer',
  operation: 'deleteFirewallRule',
  method: 'DELETE',
  path: '/v1/vm/{id}/firewall/{rule_id}',
  scope: 'vm:write',
  tag: 'vm',
  summary: 'Delete a firewall rule',
  description:
    'The list shows it as `removing` until the engine has released it; it cannot be deleted again.',
  params: Type.Object({
    id: PathId('vm', 'VM identifier'),
    rule_id: PathId('fwr', 'Firewall rule identifier'),
  }),
  data: Deleted,
  errors: ['invalid_state', 'vm_suspended'],
  example: { id: exampleFirewallRule.id, deleted: true },
  async load(request) {
    const vm = await loadVmForChange(request);
    const rule = await findFirewallRule(request.db, vm.id, request.params.rule_id);
    if (!rule) throw notFound();
    return { vm, rule };
  },
  async handle(context) {
    const { vm, rule } = context.resource;
    const { db, services, caller } = context;
    requireAllowed(vm, 'configure');
    await removeFirewallRule(db, rule.id, await beginNetworkChange(context, vm.id));
    await recordCallerEvent(db, services.clock, caller, vm.id, {
      type: 'firewall.rule_removed',
      message: 'A firewall rule was deleted.',
      metadata: { rule_id: rule.id },
    });
    return { data: { id: rule.id, deleted: true } };
  },
});
