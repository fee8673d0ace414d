import { listAccounts as queryAccounts } from '../../../db/queries/accounts.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Input, PageQuery } from '../../../http/schemas.ts';
import { operatorEndpoint } from '../../../operator/endpoint.ts';
import { Type } from '../../../platform/schema.ts';
import { AccountShape, presentAccount } from './account-shape.ts';

export const listAccounts = operatorEndpoint({
  operation: 'listAccounts',
  method: 'GET',
  path: '/accounts',
  tag: 'account',
  summary: 'List all accounts',
  query: Input(PageQuery),
  data: Type.Array(AccountShape),
  paginated: true,
  errors: [],
  async handle({ query, services: { catalog, db } }) {
    const page = pageFrom(query);
    return paginated(await queryAccounts(db, page), page, (account) => presentAccount(account, catalog));
  },
});
