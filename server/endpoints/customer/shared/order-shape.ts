import type { OrderRow } from '../../../db/queries/money/orders.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { Currency, Enum, Id, Minor, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const ORDER_KINDS = [
  'create',
  'change_plan',
  'change_custom',
  'renew',
  'add_on',
  'hourly_usage',
  'delete_refund',
  'adjustment',
] as const;

export const OrderShape = Shape(
  {
    id: Id('ord'),
    kind: Enum(ORDER_KINDS, { $id: 'OrderKind' }),
    status: Enum(['pending', 'completed', 'failed', 'refunded'], {
      $id: 'OrderStatus',
      description: 'The amount of a pending order is held in the wallet; for a failed order it was released',
    }),
    vm_id: Nullable(Id('vm')),
    amount_minor: Minor('Charged or held as a deposit; refunded or released if negative'),
    currency: Currency,
    balance_after_minor: Nullable(
      Minor('Available balance when this order was settled; null if it is pending or failed'),
    ),
    invoice_id: Nullable(Id('inv')),
    created_at: Timestamp(),
    adjustment: Nullable(
      Shape(
        {
          type: Enum(['credit', 'debit', 'refund', 'void', 'sla_credit'], {
            $id: 'AdjustmentType',
          }),
          reason: Type.String(),
          corrects_order_id: Nullable(Id('ord')),
        },
        {
          $id: 'OrderAdjustment',
          description: "The operator's reason for a correction; null for all other orders",
        },
      ),
    ),
  },
  { $id: 'Order', description: 'A charge or a refund of an operation' },
);

export function presentOrder(order: OrderRow) {
  return {
    id: order.id,
    kind: order.kind,
    status: order.status,
    vm_id: order.vm_id,
    amount_minor: toJsonInteger(order.amount_minor),
    currency: order.currency,
    balance_after_minor: order.balance_after_minor === null ? null : toJsonInteger(order.balance_after_minor),
    invoice_id: order.invoice_id,
    created_at: order.created_at,
    adjustment:
      order.adjustment === null
        ? null
        : { type: order.adjustment, reason: order.reason, corrects_order_id: order.corrects_order_id },
  };
}

export const exampleOrder = {
  id: 'ord_01ke1y3m8q2z5x7c9v1b3n5m7k',
  kind: 'create',
  status: 'pending',
  vm_id: 'vm_01ke1y3m8q7n5k2x4z9b1c3d6g',
  amount_minor: 399,
  currency: 'EUR',
  balance_after_minor: null,
  invoice_id: null,
  created_at: '2026-01-05T09:30:00.000Z',
  adjustment: null,
};
