import { findPortForward, removePortForward } from '../../../db/queries/vms/network.ts';
import { beginNetworkChange } from '../../../domain/network/network-change.ts';
import { recordCallerEvent } from '../../../domain/vms/events.ts';
import { requireAllowed } from '../../../domain/vms/states.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Deleted, PathId } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { loadVmForChange } from '../vms/load-vm.ts';
import { examplePortForward } from './port-forward-shape.ts';

export const deletePortForward = endpoint({
  audience: 'customer',
  operation: 'deletePortForward',
  method: 'DELETE',
  path: '/v1/vm/{id}/port-forwarding/{rule_id}',
  scope: 'vm:write',
  tag: 'vm',
  summary: 'Delete a port-forwarding rule',
  description: [
    'The list shows it as `removing`, and its public port stays reserved, until the engine has released it; it',
    'cannot be deleted again.',
  ].join(' '),
  params: Type.Object({
    id: PathId('vm', 'VM identifier'),
    rule_id: PathId('pfr', 'Port-forwarding rule identifier'),
  }),
  data: Deleted,
  errors: ['invalid_state', 'vm_suspended'],
  example: { id: examplePortForward.id, deleted: true },
  async load(request) {
    const vm = await loadVmForChange(request);
    const forward = await findPortForward(request.db, vm.id, request.params.rule_id);
    if (!forward) throw notFound();
    return { vm, forward };
  },
  async handle(context) {
    const { vm, forward } = context.resource;
    const { db, services, caller } = context;
    requireAllowed(vm, 'configure');
    await removePortForward(db, forward.id, await beginNetworkChange(context, vm.id));
    await services.signals.forwardsChanged(db);
    await recordCallerEvent(db, services.clock, caller, vm.id, {
      type: 'port_forward.removed',
      message: `Port ${forward.external_port} of ${forward.public_ip} is no longer forwarded.`,
      metadata: { rule_id: forward.id },
    });
    return { data: { id: forward.id, deleted: true } };
  },
});
