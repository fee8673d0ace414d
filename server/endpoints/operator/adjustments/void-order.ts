import { voidOrder as undo } from '../../../domain/billing/adjustments/correct-order.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, PathId } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { Reason } from '../shared/input.ts';
import { Key, ONCE_ERRORS } from '../shared/once.ts';
import { MadeAdjustmentShape } from './adjustment-shape.ts';
import { makeCorrection } from './make-correction.ts';

export const voidOrder = endpoint({
  audience: 'operator',
  operation: 'voidOrder',
  method: 'POST',
  path: '/orders/{id}/void',
  money: true,
  tag: 'money',
  summary: 'Undo the rest of a charge, or a correction that credited money',
  params: Type.Object({ id: PathId('ord', 'Order identifier') }),
  body: Input({ reason: Reason, key: Key }),
  data: MadeAdjustmentShape,
  errors: ['insufficient_funds', 'invalid_state', ...ONCE_ERRORS],
  handle: ({ params: { id }, body, actor, services }) =>
    makeCorrection(services, `/orders/${id}/void`, body, (tx) =>
      undo({ tx, clock: services.clock }, { orderId: id, reason: body.reason, actor }),
    ),
});
