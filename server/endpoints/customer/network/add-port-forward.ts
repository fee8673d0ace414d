import type { Queryable } from '../../../db/database.ts';
import { addressesOf } from '../../../db/queries/vms/addresses.ts';
import { countPortForwards } from '../../../db/queries/vms/network.ts';
import type { VmView } from '../../../db/queries/vms/vms.ts';
import type { Catalog, Region } from '../../../domain/catalog/catalog-schema.ts';
import { findRegion } from '../../../domain/catalog/lookup.ts';
import { insertOnFreePort, insertOnPort } from '../../../domain/network/claim-port.ts';
import { beginNetworkChange } from '../../../domain/network/network-change.ts';
import { recordCallerEvent } from '../../../domain/vms/events.ts';
import { accountLimits, requireBelow } from '../../../domain/vms/quotas.ts';
import { requireAllowed } from '../../../domain/vms/states.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { VmParams } from '../../../http/schemas.ts';
import type { EndpointServices } from '../../../http/services.ts';
import { ApiError, invalidField } from '../../../platform/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { loadVmForChange } from '../vms/load-vm.ts';
import {
  examplePortForward,
  PortForwardInput,
  PortForwardShape,
  presentPortForward,
} from './port-forward-shape.ts';

/** A region may have left the catalog while its VMs still exist. */
function requireRegion(catalog: Catalog, code: string): Region {
  const region = findRegion(catalog, code);
  if (region) return region;
  throw new ApiError('capacity_unavailable', `Region ${code} has no public address for port forwarding.`);
}

function requireForwards({ compute, forwards }: Pick<EndpointServices, 'compute' | 'forwards'>): void {
  if (forwards.byGateway || compute.capabilities().portForwards) return;
  const message = "port forwarding is not available here: use the VM's own addresses";
  throw invalidField('internal_port', 'not_supported', message);
}

async function requireOwnAddress(db: Queryable, vm: VmView, wanted: string | undefined): Promise<string> {
  const address = wanted ?? vm.ipv4;
  const own = await addressesOf(db, vm.id);
  if (own.some((candidate) => candidate.address === address)) return address!;
  throw invalidField('internal_ip', 'not_found', "must be one of the VM's IPv4 addresses");
}

function requireInRange(port: number | null, { port_forward_range: { from, to } }: Region): void {
  if (port === null || (port >= from && port <= to)) return;
  throw invalidField('external_port', 'out_of_range', `must be between ${from} and ${to} in this region`);
}

export const addPortForward = endpoint({
  audience: 'customer',
  operation: 'addPortForward',
  method: 'POST',
  path: '/v1/vm/{id}/port-forwarding',
  scope: 'vm:write',
  tag: 'vm',
  summary: 'Add a port-forwarding rule',
  description: [
    'Allowed in every state except deleting and suspended. A free public port of the region is chosen unless',
    '`external_port` names one; `capacity_unavailable` means that none is left.',
  ].join(' '),
  params: VmParams,
  body: PortForwardInput,
  data: PortForwardShape,
  errors: ['invalid_state', 'vm_suspended', 'quota_exceeded', 'port_in_use', 'capacity_unavailable'],
  example: examplePortForward,
  load: loadVmForChange,
  async handle(context) {
    const { resource: vm, body, db, services, caller, now } = context;
    const region = requireRegion(services.catalog, vm.region);
    requireForwards(services);
    const external_port = body.external_port ?? null;
    requireInRange(external_port, region);
    const internal_ip = await requireOwnAddress(db, vm, body.internal_ip);
    requireAllowed(vm, 'configure');
    const limits = await accountLimits(db, services.catalog, vm.account_id);
    requireBelow('port_forwards_per_vm', limits.port_forwards_per_vm, await countPortForwards(db, vm.id));
    const forward = {
      id: newId('pfr', services.clock),
      account_id: vm.account_id,
      vm_id: vm.id,
      protocol: body.protocol,
      public_ip: region.port_forward_address,
      internal_ip,
      internal_port: body.internal_port,
      description: body.description ?? null,
      status: 'pending' as const,
      generation: await beginNetworkChange(context, vm.id),
      created_at: now,
    };
    const row =
      external_port === null
        ? await insertOnFreePort(db, forward, region.port_forward_range)
        : await insertOnPort(db, { ...forward, external_port });
    await services.signals.forwardsChanged(db);
    await recordCallerEvent(db, services.clock, caller, vm.id, {
      type: 'port_forward.added',
      message: `Port ${row.external_port} of ${row.public_ip} was forwarded to port ${row.internal_port}.`,
      metadata: { rule_id: row.id },
    });
    return { data: presentPortForward(row) };
  },
});
