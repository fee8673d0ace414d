import { refundOrder as refund } from '../../../domain/billing/adjustments/correct-order.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, PathId } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { AmountFields, optionalAmount } from '../shared/amount.ts';
import { Reason } from '../shared/input.ts';
import { Key, ONCE_ERRORS } from '../shared/once.ts';
import { MadeAdjustmentShape } from './adjustment-shape.ts';
import { makeCorrection } from './make-correction.ts';

export const refundOrder = endpoint({
  audience: 'operator',
  operation: 'refundOrder',
  method: 'POST',
  path: '/orders/{id}/refund',
  money: true,
  tag: 'money',
  summary: 'Refund a charge or a part of it',
  description: 'Uses the tax rate of the sale. Without an amount, refunds the whole remaining charge.',
  params: Type.Object({ id: PathId('ord', 'Order identifier') }),
  body: Input({ ...AmountFields, reason: Reason, key: Key }),
  data: MadeAdjustmentShape,
  errors: ['invalid_state', ...ONCE_ERRORS],
  handle: ({ params: { id }, body, actor, services }) =>
    makeCorrection(services, `/orders/${id}/refund`, body, (tx) => {
      const correction = { orderId: id, reason: body.reason, actor };
      return refund({ tx, clock: services.clock }, correction, (currency) => optionalAmount(body, currency));
    }),
});
