import { currencyExponent } from '../../../../shared/currencies.ts';
import type { Queryable } from '../../../db/database.ts';
import { areUncounted, findBooks, lastPayments } from '../../../db/queries/money/books.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { Currency, Minor, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { type Static, Type } from '../../../platform/schema.ts';

/** Enough to find one for which the operator has a bank statement. */
const SAMPLES = 5;

const PaymentSampleShape = Shape(
  {
    id: Type.String(),
    account_id: Type.String(),
    method: Type.String(),
    reference: Type.String(),
    amount_minor: Minor('Amount as stored in the books'),
    created_at: Timestamp(),
  },
  { $id: 'PaymentSample', description: 'A payment to compare with the amount that was really received' },
);

export const BooksShape = Shape(
  {
    currency: Currency,
    iso_exponent: Type.Integer({ description: 'Decimals of the currency by ISO 4217' }),
    exponent: Nullable(
      Type.Integer({
        description:
          'Decimals of the amounts in the books; null if not answered yet or if there are no amounts',
      }),
    ),
    paused: Type.Boolean({
      description: 'True while money operations return 503 because the exponent is unknown',
    }),
    recorded_at: Nullable(Timestamp()),
    recorded_by: Nullable(
      Type.String({
        description: '`service`, `upgrade`, or the operator who answered',
        examples: ['anna as root'],
      }),
    ),
    last_payments: Type.Array(PaymentSampleShape),
  },
  { $id: 'Books', description: 'The unit in which the books count their currency' },
);

export async function presentBooks(db: Queryable, currency: string): Promise<Static<typeof BooksShape>> {
  const [books, paused, payments] = [
    await findBooks(db, currency),
    await areUncounted(db, currency),
    await lastPayments(db, currency, SAMPLES),
  ];
  return {
    currency,
    iso_exponent: currencyExponent(currency),
    exponent: books?.exponent ?? null,
    paused,
    recorded_at: books?.recorded_at.toISOString() ?? null,
    recorded_by: books?.recorded_by ?? null,
    last_payments: payments.map(({ amount_minor, created_at, ...payment }) => ({
      ...payment,
      amount_minor: toJsonInteger(amount_minor),
      created_at: created_at.toISOString(),
    })),
  };
}
