import type { OrderRow } from '../../../db/queries/money/orders.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { Count, Currency, Enum, Id, Minor, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { WalletShape } from '../shared/wallet-shape.ts';

const adjustmentFields = {
  id: Id('ord'),
  account_id: Id('acc'),
  vm_id: Nullable(Id('vm')),
  type: Enum(['credit', 'debit', 'refund', 'void', 'sla_credit']),
  amount_minor: Minor('Amount; negative if the account received money'),
  currency: Currency,
  reason: Type.String(),
  actor: Type.String({ description: 'Operator who made it, such as "anna as root"' }),
  corrects_order_id: Nullable(Id('ord')),
  outage_id: Nullable(Id('out')),
  invoice_id: Nullable(Id('inv')),
  created_at: Timestamp(),
};

export const AdjustmentShape = Shape(adjustmentFields, {
  $id: 'Adjustment',
  description: 'A correction of the books: a separate order, because booked orders never change',
});
export const MadeAdjustmentShape = Shape(
  {
    ...adjustmentFields,
    promo_minor: Count('The part of the refund that is promotional credit; the rest is money'),
    promo_expires_at: Nullable(
      Timestamp(
        'The earliest expiry of the refunded credit, possibly in the past; null if the refund is all money',
      ),
    ),
    wallet: WalletShape,
  },
  { $id: 'MadeAdjustment', description: 'A correction of the books and the resulting wallet' },
);

export function presentAdjustment(order: OrderRow) {
  return {
    id: order.id,
    account_id: order.account_id,
    vm_id: order.vm_id,
    type: order.adjustment,
    amount_minor: toJsonInteger(order.amount_minor),
    currency: order.currency,
    reason: order.reason,
    actor: order.actor,
    corrects_order_id: order.corrects_order_id,
    outage_id: order.outage_id,
    invoice_id: order.invoice_id,
    created_at: order.created_at,
  };
}
