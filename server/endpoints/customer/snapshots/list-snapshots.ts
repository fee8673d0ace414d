import { listSnapshots as querySnapshots } from '../../../db/queries/vms/snapshots.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { PageQuery, VmParams } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { loadVm } from '../vms/load-vm.ts';
import { exampleSnapshot, presentSnapshot, SnapshotShape } from './snapshot-shape.ts';

export const listSnapshots = endpoint({
  audience: 'customer',
  operation: 'listSnapshots',
  method: 'GET',
  path: '/v1/vm/{id}/snapshots',
  scope: 'vm:read',
  tag: 'vm',
  summary: 'List the snapshots of a VM',
  description: 'Newest first.',
  params: VmParams,
  query: Type.Object(PageQuery),
  data: Type.Array(SnapshotShape),
  paginated: true,
  errors: ['invalid_cursor'],
  example: [{ ...exampleSnapshot, status: 'available', size_bytes: 1600000000 }],
  load: loadVm,
  async handle({ resource: vm, query, db }) {
    const page = pageFrom(query);
    return paginated(await querySnapshots(db, vm.id, page), page, presentSnapshot);
  },
});
