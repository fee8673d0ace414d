import { listAccounts as queryAccounts } from '../../../db/queries/access/accounts.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Input, PageQuery } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { Search } from '../shared/input.ts';
import { AccountShape, presentAccount } from './account-shape.ts';

export const listAccounts = endpoint({
  audience: 'operator',
  operation: 'listAccounts',
  method: 'GET',
  path: '/accounts',
  tag: 'account',
  summary: 'List all accounts',
  query: Input({
    ...PageQuery,
    search: Type.Optional(Search("An account id, or part of a name or of a member's address")),
  }),
  data: Type.Array(AccountShape),
  paginated: true,
  errors: [],
  async handle({ query, services: { catalog, db } }) {
    const page = pageFrom(query);
    return paginated(await queryAccounts(db, page, query.search), page, (account) =>
      presentAccount(account, catalog),
    );
  },
});
