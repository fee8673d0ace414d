import { listActiveShares } from '../../../db/queries/vms/console-shares.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Count, Nullable, PageQuery, Shape, Timestamp, VmParams } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { loadVm } from '../vms/load-vm.ts';
import { exampleShare, presentShare, shareFields } from './share-shape.ts';

export const listConsoleShares = endpoint({
  audience: 'customer',
  operation: 'listConsoleShares',
  method: 'GET',
  path: '/v1/vm/{id}/console-shares',
  scope: 'vm:read',
  tag: 'vm',
  summary: 'List the active share links of a VM',
  description: 'Newest first. Expired and deleted links are not listed.',
  params: VmParams,
  query: Type.Object(PageQuery),
  data: Type.Array(
    Shape(
      {
        ...shareFields,
        viewers: Count('Current number of viewers'),
        last_used_at: Nullable(Timestamp('When the last viewer connected; null if there never was one')),
      },
      { $id: 'ConsoleShare', description: 'A link that shares a terminal on a VM' },
    ),
  ),
  paginated: true,
  errors: ['invalid_cursor'],
  example: [{ ...exampleShare, viewers: 2, last_used_at: '2026-01-05T10:05:00.000Z' }],
  load: loadVm,
  async handle({ resource: vm, query, db, now }) {
    const page = pageFrom(query);
    return paginated(await listActiveShares(db, vm.id, now, page), page, (share) => ({
      ...presentShare(share),
      viewers: share.viewers,
      last_used_at: share.last_used_at,
    }));
  },
});
