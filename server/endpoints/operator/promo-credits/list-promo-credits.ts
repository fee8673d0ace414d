import { listPromoCredits as queryPromoCredits } from '../../../db/queries/money/promo-credits.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Input, PageQuery } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { requireAccount } from '../accounts/require-account.ts';
import { PromoCreditShape, presentPromoCredit } from './promo-credit-shape.ts';

export const listPromoCredits = endpoint({
  audience: 'operator',
  operation: 'listPromoCredits',
  method: 'GET',
  path: '/promo-credits',
  tag: 'money',
  summary: 'List promotional credit',
  query: Input({
    ...PageQuery,
    account_id: Type.Optional(Type.String({ description: 'Only credits of this account' })),
  }),
  data: Type.Array(PromoCreditShape),
  paginated: true,
  // For the account in the filter.
  errors: ['not_found'],
  async handle({ query, services: { catalog, clock, db } }) {
    const { account_id } = query;
    if (account_id !== undefined) await requireAccount(db, account_id);
    const page = pageFrom(query);
    const now = clock.now();
    // One installation sells in one currency.
    return paginated(await queryPromoCredits(db, account_id, page), page, (credit) =>
      presentPromoCredit(credit, catalog.currency, now),
    );
  },
});
