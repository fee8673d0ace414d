import { toJsonInteger } from '../../../domain/billing/money.ts';
import { type StatementEntry, statementOf } from '../../../domain/billing/statement.ts';
import { Currency, Id, Input, Minor, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { operatorEndpoint } from '../../../operator/endpoint.ts';
import { Type } from '../../../platform/schema.ts';
import { AccountParams } from '../accounts/account-shape.ts';
import { requireAccount } from '../accounts/require-account.ts';

const StatementEntryShape = Shape(
  {
    entry: Type.Integer({ minimum: 1, description: "Place in the account's journal, without a gap" }),
    at: Timestamp(),
    reason: Type.String(),
    debit: Type.String({ description: 'The ledger account that it takes from' }),
    credit: Type.String({ description: 'The one that it gives to' }),
    amount_minor: Minor('Amount'),
    order_id: Nullable(Id('ord')),
    payment_id: Nullable(Id('pay')),
    promo_credit_id: Nullable(Id('prm')),
    available_minor: Minor('What the wallet could spend after it'),
    promo_minor: Minor('Of that, promotional credit'),
    held_minor: Minor('What was held after it'),
    currency: Currency,
  },
  { $id: 'StatementEntry', description: "An entry of an account's journal, and the wallet after it" },
);

export const getStatement = operatorEndpoint({
  operation: 'getStatement',
  method: 'GET',
  path: '/accounts/{id}/statement',
  tag: 'money',
  summary: 'Read the journal of an account with the running balance, oldest first',
  params: AccountParams,
  query: Input({
    from: Type.Optional(Timestamp('Only entries from this instant on')),
    to: Type.Optional(Timestamp('Only entries before this instant')),
  }),
  file: 'application/x-ndjson',
  data: StatementEntryShape,
  errors: [],
  async handle({ params: { id }, query: { from, to }, services: { db } }) {
    const { currency } = await requireAccount(db, id);
    const span = { from: from ? new Date(from) : undefined, to: to ? new Date(to) : undefined };
    return { content: jsonLines(statementOf(db, id, span), currency) };
  },
});

async function* jsonLines(entries: AsyncIterable<StatementEntry>, currency: string): AsyncGenerator<Buffer> {
  for await (const row of entries) {
    const shown = {
      ...row,
      entry: toJsonInteger(row.entry),
      amount_minor: toJsonInteger(row.amount_minor),
      available_minor: toJsonInteger(row.available_minor),
      promo_minor: toJsonInteger(row.promo_minor),
      held_minor: toJsonInteger(row.held_minor),
      currency,
    };
    yield Buffer.from(`${JSON.stringify(shown)}\n`);
  }
}
