import { type SystemVmFilter, systemListVms } from '../../../db/queries/vms/operator-vms.ts';
import { VM_STATUSES } from '../../../domain/vms/states.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Enum, Input, PageQuery } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { Search } from '../shared/input.ts';
import { presentVm, VmShape } from './vm-shape.ts';

export const listVms = endpoint({
  audience: 'operator',
  operation: 'listVms',
  method: 'GET',
  path: '/vms',
  tag: 'vm',
  summary: 'List the VMs of all accounts',
  query: Input({
    ...PageQuery,
    account: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Only VMs of this account' }),
    ),
    search: Type.Optional(Search('Id, address or part of the name of a VM')),
    payment: Type.Optional(Enum(['unpaid'], { description: 'Only unpaid VMs' })),
    status: Type.Optional(Enum(VM_STATUSES, { description: 'Only VMs with this status' })),
  }),
  data: Type.Array(VmShape),
  paginated: true,
  errors: [],
  async handle({ query, services: { db } }) {
    const page = pageFrom(query);
    const filter: SystemVmFilter = {
      accountId: query.account,
      status: query.status,
      search: query.search,
      isUnpaid: query.payment === 'unpaid',
    };
    return paginated(await systemListVms(db, filter, page), page, presentVm);
  },
});
