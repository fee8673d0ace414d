import { askDriver } from '../../../compute/ask.ts';
import type { GuestVolume } from '../../../compute/driver.ts';
import type { VmView } from '../../../db/queries/vms/vms.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Count, Id, Nullable, PageQuery, Shape, Timestamp, VmParams } from '../../../http/schemas.ts';
import { partId } from '../../../platform/derived-ids.ts';
import { Type } from '../../../platform/schema.ts';
import { pageOfAll } from '../shared/page-of-all.ts';
import { loadVm } from './load-vm.ts';

const VolumeShape = Shape(
  {
    id: Id('vol'),
    name: Type.String(),
    size_gb: Type.Integer({ minimum: 1, description: 'Size in GB' }),
    used_bytes: Nullable(Count('Used bytes; null if the engine cannot measure it')),
    type: Type.String({ description: 'Kind of storage, such as `ssd`' }),
    boot: Type.Boolean({ description: 'True if the VM boots from it' }),
    device: Type.String({ description: 'Its name in the guest' }),
    created_at: Timestamp(),
  },
  { $id: 'Volume', description: 'A volume of a VM' },
);

/** The future boot volume of a VM whose guest is still being created. */
function volumeToBe(vm: VmView): GuestVolume {
  return { name: 'root', sizeGb: vm.disk_gb, usedBytes: null, type: 'ssd', boot: true, device: '/dev/vda' };
}

function presentVolume(vm: VmView, volume: GuestVolume) {
  return {
    id: partId('vol', vm.id, volume.boot ? undefined : volume.name),
    name: volume.name,
    size_gb: volume.sizeGb,
    used_bytes: volume.usedBytes,
    type: volume.type,
    boot: volume.boot,
    device: volume.device,
    created_at: vm.created_at,
  };
}

export const listVolumes = endpoint({
  audience: 'customer',
  operation: 'listVolumes',
  method: 'GET',
  path: '/v1/vm/{id}/volumes',
  scope: 'vm:read',
  tag: 'vm',
  summary: 'List the volumes of a VM',
  description:
    'Returns the disks of the VM, including the one it boots from. While the VM is being created, that disk is shown as it will be.',
  params: VmParams,
  query: Type.Object(PageQuery),
  data: Type.Array(VolumeShape),
  paginated: true,
  errors: ['invalid_cursor', 'compute_unavailable'],
  example: [
    {
      id: 'vol_01ke1y3m8q7n5k2x4z9b1c3d6g',
      name: 'root',
      size_gb: 20,
      used_bytes: 1600000000,
      type: 'ssd',
      boot: true,
      device: '/dev/vda',
      created_at: '2026-01-05T09:30:00.000Z',
    },
  ],
  load: loadVm,
  async handle({ resource: vm, query, services }) {
    const page = pageFrom(query);
    const found = await askDriver(() => services.compute.volumes(vm.id));
    const volumes = (found.length > 0 ? found : [volumeToBe(vm)]).map((volume) => presentVolume(vm, volume));
    return paginated(pageOfAll(volumes, page), page, (volume) => volume);
  },
});
