import { balancesAfter, type StatementRow, statementPage } from '../../../db/queries/statements.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { Currency, Id, Minor, Nullable, PageQuery, Shape, Timestamp } from '../../../http/schemas.ts';
import { panelEndpoint } from '../../../panel/endpoint.ts';
import { Type } from '../../../platform/schema.ts';

const EntryShape = Shape(
  {
    entry: Type.Integer({ minimum: 1, description: 'Place in the journal of the account, without a gap' }),
    at: Timestamp(),
    reason: Type.String({ description: 'Such as top_up, hold, capture, charge, release or refund' }),
    amount_minor: Minor('What was booked'),
    change_minor: Minor('What it added to what can be spent'),
    order_id: Nullable(Id('ord')),
    payment_id: Nullable(Id('pay')),
    promo_credit_id: Nullable(Id('prm')),
    available_minor: Minor('What could be spent after it'),
    promo_minor: Minor('Of that, promotional credit'),
    held_minor: Minor('What was held after it'),
    currency: Currency,
  },
  { $id: 'WalletEntry', description: 'An entry of the journal, and the wallet after it' },
);

export const getStatement = panelEndpoint({
  operation: 'getStatement',
  method: 'GET',
  path: '/statement',
  access: 'viewer',
  tag: 'money',
  summary: 'Read what went into the wallet and out of it, newest first, with the running balance',
  query: Type.Object({
    ...PageQuery,
    from: Type.Optional(Timestamp('Only entries from this instant on')),
    to: Type.Optional(Timestamp('Only entries before this instant')),
  }),
  data: Type.Array(EntryShape),
  paginated: true,
  errors: ['invalid_cursor'],
  async handle({ caller: { accountId }, query, db, services: { catalog } }) {
    const limit = query.limit ?? 50;
    const span = {
      from: query.from === undefined ? undefined : new Date(query.from),
      to: query.to === undefined ? undefined : new Date(query.to),
      before: query.cursor === undefined ? null : BigInt(query.cursor),
    };
    const rows = await statementPage(db, accountId, span, limit);
    const shown = rows.slice(0, limit);
    let after = await balancesAfter(db, accountId, shown[0]?.position ?? 0n);
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
    const next_cursor = has_more ? String(shown.at(-1)!.position) : null;
    return { data, pagination: { limit, next_cursor, has_more } };
  },
});

function present(
  { position, at, reason, amount_minor, order_id, payment_id, promo_credit_id, ...change }: StatementRow,
  after: Pick<StatementRow, 'money_minor' | 'promo_minor' | 'held_minor'>,
  currency: string,
) {
  return {
    entry: toJsonInteger(position),
    at,
    reason,
    amount_minor: toJsonInteger(amount_minor),
    change_minor: toJsonInteger(change.money_minor + change.promo_minor),
    order_id,
    payment_id,
    promo_credit_id,
    available_minor: toJsonInteger(after.money_minor + after.promo_minor),
    promo_minor: toJsonInteger(after.promo_minor),
    held_minor: toJsonInteger(after.held_minor),
    currency,
  };
}
