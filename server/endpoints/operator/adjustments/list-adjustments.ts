import { listAdjustments as queryAdjustments } from '../../../db/queries/money/adjustments.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Input, PageQuery } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { AccountParams } from '../accounts/account-shape.ts';
import { requireAccount } from '../accounts/require-account.ts';
import { AdjustmentShape, presentAdjustment } from './adjustment-shape.ts';

export const listAdjustments = endpoint({
  audience: 'operator',
  operation: 'listAdjustments',
  method: 'GET',
  path: '/accounts/{id}/adjustments',
  tag: 'money',
  summary: 'List the corrections of an account',
  params: AccountParams,
  query: Input(PageQuery),
  data: Type.Array(AdjustmentShape),
  paginated: true,
  errors: [],
  async handle({ params: { id }, query, services: { db } }) {
    await requireAccount(db, id);
    const page = pageFrom(query);
    return paginated(await queryAdjustments(db, id, page), page, presentAdjustment);
  },
});
