import { UNBOOKED_STATUSES, type UnbookedPaymentRow } from '../../../db/queries/money/unbooked-payments.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { Currency, Enum, Id, Minor, Nullable, PathId, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const UnbookedPaymentParams = Type.Object({ id: PathId('ubp', 'Identifier of the payment') });

export const UnbookedPaymentShape = Shape(
  {
    id: Id('ubp'),
    status: Enum(UNBOOKED_STATUSES),
    provider: Type.String({ description: 'Payment method' }),
    provider_ref: Type.String({ description: 'Identifier at the provider' }),
    account_id: Nullable(Id('acc')),
    top_up_id: Id('top'),
    amount_minor: Minor('Amount'),
    currency: Currency,
    paid_at: Timestamp(),
    found_at: Timestamp(),
    decided_at: Nullable(Timestamp('When it was booked or dismissed')),
    decided_by: Nullable(Type.String({ description: 'Operator who did it' })),
    reason: Nullable(Type.String({ description: 'Reason for the dismissal' })),
    payment_id: Nullable(Id('pay')),
    taken_back_minor: Minor(
      'Amount that the provider reversed while the payment was not in the books, for example because of a dispute. If you booked the payment manually, debit the account by this amount',
    ),
  },
  { $id: 'UnbookedPayment', description: 'A payment that a provider has but the books do not' },
);

export function presentUnbookedPayment(row: UnbookedPaymentRow) {
  const status = row.decided_at === null ? 'open' : row.payment_id === null ? 'dismissed' : 'booked';
  const taken_back_minor = toJsonInteger(row.taken_back_minor);
  return { ...row, status, amount_minor: toJsonInteger(row.amount_minor), taken_back_minor };
}
