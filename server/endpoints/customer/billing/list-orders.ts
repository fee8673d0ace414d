import { listOrders as queryOrders } from '../../../db/queries/money/orders.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Enum, PageQuery } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { exampleOrder, ORDER_KINDS, OrderShape, presentOrder } from '../shared/order-shape.ts';

export const listOrders = endpoint({
  audience: 'customer',
  operation: 'listOrders',
  method: 'GET',
  path: '/v1/billing/orders',
  scope: 'billing:read',
  tag: 'billing',
  summary: 'List orders',
  description:
    'Charges and refunds of operations, newest first, including those of deleted VMs. Filters can be combined.',
  query: Type.Object({
    ...PageQuery,
    vm_id: Type.Optional(
      Type.String({
        maxLength: 64,
        pattern: '^[!-~]+$',
        'x-expected': 'the id of a VM',
        description: 'Only orders of this VM',
      }),
    ),
    kind: Type.Optional(Enum(ORDER_KINDS, { $id: 'OrderKind', description: 'Only orders of this kind' })),
  }),
  data: Type.Array(OrderShape),
  paginated: true,
  errors: ['invalid_cursor'],
  example: [exampleOrder],
  async handle({ caller, query, db }) {
    const page = pageFrom(query);
    return paginated(await queryOrders(db, caller.accountId, query, page), page, presentOrder);
  },
});
