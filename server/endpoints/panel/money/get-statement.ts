import {
  type Balances,
  balancesAfter,
  type StatementRow,
  statementPage,
} from '../../../db/queries/money/statements.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Minor, PageQuery, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import {
  presentStatementEntry,
  StatementEntryFields,
  StatementSpan,
  spanOf,
} from '../../shared/statement-entry.ts';

const EntryShape = Shape(
  {
    ...StatementEntryFields,
    change_minor: Minor('Change of the available balance'),
  },
  { $id: 'WalletEntry', description: 'An entry of the journal and the resulting balance' },
);

export const getStatement = endpoint({
  audience: 'panel',
  operation: 'getStatement',
  method: 'GET',
  path: '/statement',
  access: 'viewer',
  tag: 'money',
  summary: 'Get the movements of the wallet with the running balance, newest first',
  query: Type.Object({
    ...PageQuery,
    ...StatementSpan,
  }),
  data: Type.Array(EntryShape),
  paginated: true,
  errors: ['invalid_cursor'],
  async handle({ caller: { accountId }, query, db, services: { catalog } }) {
    const limit = query.limit ?? 50;
    const span = {
      ...spanOf(query),
      before: query.cursor === undefined ? null : BigInt(query.cursor),
    };
    const rows = await statementPage(db, accountId, span, limit);
    const shown = rows.slice(0, limit);
    let after = await balancesAfter(db, accountId, shown[0]?.entry ?? 0n);
    const data = shown.map((row) => {
      const entry = present(row, after, catalog.currency);
      after = {
        money_minor: after.money_minor - row.money_minor,
        promo_minor: after.promo_minor - row.promo_minor,
        held_minor: after.held_minor - row.held_minor,
      };
      return entry;
    });
    const has_more = rows.length > limit;
    const next_cursor = has_more ? String(shown.at(-1)!.entry) : null;
    return { data, pagination: { limit, next_cursor, has_more } };
  },
});

function present(row: StatementRow, { money_minor, promo_minor, held_minor }: Balances, currency: string) {
  const after = { available_minor: money_minor + promo_minor, promo_minor, held_minor };
  return {
    ...presentStatementEntry(row, after, currency),
    change_minor: toJsonInteger(row.money_minor + row.promo_minor),
  };
}
