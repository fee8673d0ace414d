import { shieldOfVm } from '../../../db/queries/shield/shield-targets.ts';
import { addressesOf, type VmAddress } from '../../../db/queries/vms/addresses.ts';
import type { VmView } from '../../../db/queries/vms/vms.ts';
import type { Catalog } from '../../../domain/catalog/catalog-schema.ts';
import { speedLimit } from '../../../domain/catalog/lookup.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Count, Enum, Id, IpFamily, Nullable, PageQuery, Shape, VmParams } from '../../../http/schemas.ts';
import { partId } from '../../../platform/derived-ids.ts';
import { Type } from '../../../platform/schema.ts';
import { pageOfAll } from '../shared/page-of-all.ts';
import { loadVm } from '../vms/load-vm.ts';

const IpShape = Shape(
  {
    address: Type.String({ description: 'IPv4 or IPv6 address' }),
    family: IpFamily,
    prefix: Type.Integer({ minimum: 0, maximum: 128, description: 'Prefix length of its network' }),
    gateway: Type.String(),
    primary: Type.Boolean({ description: "The VM's `ipv4` or `ipv6`" }),
    rdns: Nullable(Type.String({ description: 'Name that the address resolves to' })),
    shield: Nullable(
      Shape(
        { tenant_id: Id('ten'), target_id: Id('tgt') },
        { $id: 'ShieldPlace', description: 'Its target in the DDoS Shield' },
      ),
    ),
  },
  { $id: 'NetworkAddress', description: 'An address of a network interface' },
);

const NicShape = Shape(
  {
    id: Id('nic'),
    name: Type.String({ description: 'Its name in the guest' }),
    mac: Type.String({ pattern: '^([0-9a-f]{2}:){5}[0-9a-f]{2}$', description: 'MAC address' }),
    type: Enum(['public', 'private'], { $id: 'NetworkType' }),
    bandwidth_limit_bps: Nullable(
      Count('Current speed limit for sending and for receiving; null for no limit'),
    ),
    ips: Type.Array(IpShape),
  },
  { $id: 'NetworkInterface', description: 'A network interface of a VM' },
);

/** Every VM has one interface, which has all of its addresses. */
function presentNic(
  vm: VmView,
  catalog: Catalog,
  addresses: VmAddress[],
  shield: Awaited<ReturnType<typeof shieldOfVm>>,
) {
  return {
    id: partId('nic', vm.id),
    name: 'eth0',
    mac: vm.mac,
    type: 'public',
    bandwidth_limit_bps: speedLimit(catalog, vm),
    ips: addresses.map(({ address, family, prefix, gateway }) => ({
      address,
      family,
      prefix,
      gateway,
      primary: address === vm.ipv4 || address === vm.ipv6,
      rdns: null,
      shield: shield.get(address) ?? null,
    })),
  };
}

export const listNics = endpoint({
  audience: 'customer',
  operation: 'listNics',
  method: 'GET',
  path: '/v1/vm/{id}/nics',
  scope: 'vm:read',
  tag: 'vm',
  summary: 'List the network interfaces of a VM and their addresses',
  description:
    'An address protected by the DDoS Shield includes its tenant and target, which the operations of the Shield require.',
  params: VmParams,
  query: Type.Object(PageQuery),
  data: Type.Array(NicShape),
  paginated: true,
  errors: ['invalid_cursor'],
  example: [
    {
      id: 'nic_01ke1y3m8q7n5k2x4z9b1c3d6g',
      name: 'eth0',
      mac: '52:54:00:9c:1f:07',
      type: 'public',
      bandwidth_limit_bps: null,
      ips: [
        {
          address: '100.64.0.2',
          family: 4,
          prefix: 14,
          gateway: '100.64.0.1',
          primary: true,
          rdns: null,
          shield: {
            tenant_id: 'ten_01ke1y7c4e6g8j0m2p4r6t8v0x',
            target_id: 'tgt_01ke1y7h3b5d7f9h1k3m5p7r9t',
          },
        },
      ],
    },
  ],
  load: loadVm,
  async handle({ resource: vm, query, db, services: { catalog } }) {
    const page = pageFrom(query);
    const nics = [presentNic(vm, catalog, await addressesOf(db, vm.id), await shieldOfVm(db, vm.id))];
    return paginated(pageOfAll(nics, page), page, (nic) => nic);
  },
});
