import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import { refundTopUp as refund } from '../../../payments/refund-top-up.ts';
import { AmountFields, optionalAmount } from '../shared/amount.ts';
import { Reason, requireReadable } from '../shared/input.ts';
import { presentRefund, RefundShape, TopUpParams } from './top-up-shape.ts';

export const refundTopUp = endpoint({
  audience: 'operator',
  operation: 'refundTopUp',
  method: 'POST',
  path: '/top-ups/{id}/refunds',
  money: true,
  tag: 'money',
  summary: 'Refund a top-up to its payment method',
  description:
    'The amount leaves the wallet first and returns if the provider refuses. Repeating the request makes another refund of the remaining amount.',
  params: TopUpParams,
  body: Input({ ...AmountFields, reason: Reason }),
  data: RefundShape,
  errors: ['invalid_state', 'insufficient_funds'],
  async handle({ params: { id }, body, actor, services }) {
    requireReadable('reason', body.reason);
    const amountMinor = optionalAmount(body, services.catalog.currency);
    const made = await refund(services, { topUp: id, amountMinor, reason: body.reason, actor });
    return { data: presentRefund(made) };
  },
});
