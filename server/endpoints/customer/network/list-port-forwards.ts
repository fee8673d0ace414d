import { listPortForwards as queryForwards } from '../../../db/queries/vms/network.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { PageQuery, VmParams } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { loadVm } from '../vms/load-vm.ts';
import { examplePortForward, PortForwardShape, presentPortForward } from './port-forward-shape.ts';

export const listPortForwards = endpoint({
  audience: 'customer',
  operation: 'listPortForwards',
  method: 'GET',
  path: '/v1/vm/{id}/port-forwarding',
  scope: 'vm:read',
  tag: 'vm',
  summary: 'List the port-forwarding rules of a VM',
  description: 'Newest first.',
  params: VmParams,
  query: Type.Object(PageQuery),
  data: Type.Array(PortForwardShape),
  paginated: true,
  errors: ['invalid_cursor'],
  example: [{ ...examplePortForward, status: 'active' }],
  load: loadVm,
  async handle({ resource: vm, query, db }) {
    const page = pageFrom(query);
    return paginated(await queryForwards(db, vm.id, page), page, presentPortForward);
  },
});
