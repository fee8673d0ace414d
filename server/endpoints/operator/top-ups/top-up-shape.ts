import type { TopUpRefundRow } from '../../../db/queries/money/top-up-refunds.ts';
import { SHOWN_TOP_UP_STATUSES, shownStatus, type TopUpRow } from '../../../db/queries/money/top-ups.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { Currency, Enum, Id, Minor, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const TopUpParams = Type.Object({
  id: Type.String({ description: 'Id or reference of the top-up', examples: ['TU-7K3M-9QXD'] }),
});

export const TopUpShape = Shape(
  {
    id: Id('top'),
    account_id: Id('acc'),
    provider: Type.String({ description: 'Payment method' }),
    cause: Enum(['person', 'auto'], { description: 'Origin of the top-up: a person or automatic top-up' }),
    status: Enum(SHOWN_TOP_UP_STATUSES, {
      description: '`processing`: paid in a way that takes days, such as a direct debit',
    }),
    amount_minor: Minor('Amount'),
    currency: Currency,
    reference: Type.String({ description: 'Reference of the payment' }),
    provider_ref: Nullable(Type.String({ description: 'Identifier at the provider' })),
    error: Nullable(Type.String({ description: 'Reason for the failure' })),
    payment_id: Nullable(Id('pay')),
    created_at: Timestamp(),
    expires_at: Nullable(Timestamp('When it expires')),
    settled_at: Nullable(Timestamp('When it was decided')),
  },
  { $id: 'TopUp', description: 'A top-up by a customer' },
);

export function presentTopUp(topUp: TopUpRow) {
  return {
    id: topUp.id,
    account_id: topUp.account_id,
    provider: topUp.provider,
    cause: topUp.cause,
    amount_minor: toJsonInteger(topUp.amount_minor),
    currency: topUp.currency,
    status: shownStatus(topUp),
    reference: topUp.reference,
    provider_ref: topUp.provider_ref,
    error: topUp.error,
    payment_id: topUp.payment_id,
    created_at: topUp.created_at,
    expires_at: topUp.expires_at,
    settled_at: topUp.settled_at,
  };
}

export const RefundShape = Shape(
  {
    id: Id('rfd'),
    top_up_id: Id('top'),
    account_id: Id('acc'),
    amount_minor: Minor('Amount'),
    status: Enum(['pending', 'succeeded', 'failed'], {
      description: 'Pending: waiting for the provider; failed: the amount is back in the wallet',
    }),
    reason: Type.String(),
    actor: Type.String({ description: 'Operator who did it' }),
    payment_id: Id('pay'),
    provider_ref: Nullable(Type.String({ description: 'Identifier at the provider' })),
    error: Nullable(Type.String({ description: 'Reason for the failure' })),
    created_at: Timestamp(),
    settled_at: Nullable(Timestamp()),
  },
  { $id: 'TopUpRefund', description: 'A refund of a top-up' },
);

export function presentRefund(refund: TopUpRefundRow) {
  const { returned_payment_id: _, retry_at: __, ...shown } = refund;
  return { ...shown, amount_minor: toJsonInteger(refund.amount_minor) };
}
