import type { FastifyInstance } from 'fastify';
import { EXPORT_FORMATS, exportBookings } from '../../domain/billing/bookings/export.ts';
import { toJsonInteger } from '../../domain/billing/money.ts';
import { type StatementEntry, statementOf } from '../../domain/billing/statement.ts';
import { Enum, Input, Timestamp } from '../../http/schemas.ts';
import { type OperatorServices, registerFile } from '../../operator/operation.ts';
import { Type } from '../../platform/schema.ts';
import { requireAccount } from './account-operations.ts';

const Month = Type.String({
  pattern: '^20[0-9]{2}-(0[1-9]|1[0-2])$',
  'x-expected': 'a year and a month, such as 2026-01',
});

/** What an accountant takes away: statements and exports, of any length. */
export function registerBookOperations(app: FastifyInstance, services: OperatorServices): void {
  registerFile(app, services, {
    path: '/accounts/:id/statement',
    query: Input({ from: Type.Optional(Timestamp()), to: Type.Optional(Timestamp()) }),
    contentType: 'application/x-ndjson',
    async handle({ id, query: { from, to }, services: { db } }) {
      const { currency } = await requireAccount(db, id);
      const span = { from: from ? new Date(from) : undefined, to: to ? new Date(to) : undefined };
      return jsonLines(statementOf(db, id, span), currency);
    },
  });

  registerFile(app, services, {
    path: '/bookings',
    query: Input({
      month: Month,
      format: Enum(EXPORT_FORMATS),
      part: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    }),
    contentType: 'text/csv',
    handle: ({ query, services }) => exportBookings(services, query),
  });
}

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
