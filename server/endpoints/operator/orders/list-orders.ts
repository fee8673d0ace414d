import { listOrders as queryOrders } from '../../../db/queries/money/orders.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Input, PageQuery } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { OrderShape, presentOrder } from '../../customer/shared/order-shape.ts';
import { AccountParams } from '../accounts/account-shape.ts';
import { requireAccount } from '../accounts/require-account.ts';

export const listOrders = endpoint({
  audience: 'operator',
  operation: 'listOrders',
  method: 'GET',
  path: '/accounts/{id}/orders',
  tag: 'money',
  summary: 'List the orders of an account, newest first',
  params: AccountParams,
  query: Input(PageQuery),
  data: Type.Array(OrderShape),
  paginated: true,
  errors: [],
  async handle({ params: { id }, query, services: { db } }) {
    await requireAccount(db, id);
    const page = pageFrom(query);
    return paginated(await queryOrders(db, id, {}, page), page, presentOrder);
  },
});
