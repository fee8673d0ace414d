import type { PaymentRow } from '../../../db/queries/money/payments.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { Currency, Enum, Id, Minor, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { WalletShape } from '../shared/wallet-shape.ts';

export const BookedPaymentShape = Shape(
  {
    id: Id('pay'),
    account_id: Id('acc'),
    method: Type.String({ description: 'Payment method' }),
    status: Enum(['pending', 'succeeded', 'failed', 'refunded']),
    amount_minor: Minor('Amount; negative for a returned payment'),
    currency: Currency,
    reference: Type.String({ description: 'Unique reference within the account' }),
    created_at: Timestamp(),
    settled_at: Nullable(Timestamp()),
    wallet: WalletShape,
  },
  { $id: 'BookedPayment', description: 'A payment and the resulting wallet' },
);

export function presentPayment(payment: PaymentRow) {
  return { ...payment, amount_minor: toJsonInteger(payment.amount_minor) };
}
