import { partId } from '../../../platform/derived-ids.ts';
import { type Queryable, sql } from '../../database.ts';
import type { VmView } from './vms.ts';

export interface LostThing {
  type: 'volume' | 'snapshot' | 'ip' | 'port_forward';
  id: string;
  name: string;
  size_gb: number | null;
}

const BYTES_PER_GB = 1_000_000_000;

/** Returns everything that is lost with a VM: its disk, snapshots, addresses and port forwards. */
export async function dataLost(db: Queryable, vm: VmView): Promise<LostThing[]> {
  const rows = await db.query<LostThing>(sql`
    select 'snapshot' as type, id, name, ceil(size_bytes::numeric / ${BYTES_PER_GB})::int as size_gb
      from snapshots where vm_id = ${vm.id} and status <> 'error'
    union all
    select 'ip', host(address), host(address), null from ip_addresses where vm_id = ${vm.id}
    union all
    select 'port_forward', id, external_port || ' → ' || internal_port, null
      from port_forwards where vm_id = ${vm.id} and status <> 'removing'
    order by 1, 2`);
  const volume: LostThing = { type: 'volume', id: partId('vol', vm.id), name: 'root', size_gb: vm.disk_gb };
  return [volume, ...rows];
}
