import { listVms as queryVms } from '../../../db/queries/vms/vm-list.ts';
import { requireKnownRegion } from '../../../domain/catalog/lookup.ts';
import { VM_STATUSES } from '../../../domain/vms/states.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Enum, PageQuery } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { exampleVm, presentVm, VmShape } from './vm-shape.ts';

export const listVms = endpoint({
  audience: 'customer',
  operation: 'listVms',
  method: 'GET',
  path: '/v1/vm',
  scope: 'vm:read',
  tag: 'vm',
  summary: 'List VMs',
  description: 'Newest first. Filters can be combined.',
  query: Type.Object({
    ...PageQuery,
    status: Type.Optional(Enum(VM_STATUSES, { $id: 'VmStatus', description: 'Only VMs with this status' })),
    region: Type.Optional(Type.String({ maxLength: 63, description: 'Only VMs in this region' })),
    hostname: Type.Optional(
      Type.String({ maxLength: 253, description: 'Only VMs with exactly this hostname' }),
    ),
  }),
  data: Type.Array(VmShape),
  paginated: true,
  errors: ['invalid_cursor'],
  example: [exampleVm],
  async handle({ caller, query, db, services: { catalog } }) {
    requireKnownRegion(catalog, query.region);
    const page = pageFrom(query);
    return paginated(await queryVms(db, caller.accountId, query, page), page, presentVm);
  },
});
