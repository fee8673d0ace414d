import { type StatementEntry, statementOf } from '../../../domain/billing/statement.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import {
  presentStatementEntry,
  StatementEntryFields,
  StatementSpan,
  spanOf,
} from '../../shared/statement-entry.ts';
import { AccountParams } from '../accounts/account-shape.ts';
import { requireAccount } from '../accounts/require-account.ts';

const StatementEntryShape = Shape(
  {
    ...StatementEntryFields,
    debit: Type.String({ description: 'The ledger account that is debited' }),
    credit: Type.String({ description: 'The ledger account that is credited' }),
  },
  { $id: 'StatementEntry', description: "An entry of an account's journal and the resulting balance" },
);

export const getStatement = endpoint({
  audience: 'operator',
  operation: 'getStatement',
  method: 'GET',
  path: '/accounts/{id}/statement',
  tag: 'money',
  summary: 'Get the journal of an account with the running balance, oldest first',
  params: AccountParams,
  query: Input(StatementSpan),
  file: 'application/x-ndjson',
  data: StatementEntryShape,
  errors: [],
  async handle({ params: { id }, query, services: { db } }) {
    const { currency } = await requireAccount(db, id);
    return { content: jsonLines(statementOf(db, id, spanOf(query)), currency) };
  },
});

async function* jsonLines(entries: AsyncIterable<StatementEntry>, currency: string): AsyncGenerator<Buffer> {
  for await (const row of entries) {
    const { debit, credit } = row;
    const shown = { ...presentStatementEntry(row, row, currency), debit, credit };
    yield Buffer.from(`${JSON.stringify(shown)}\n`);
  }
}
