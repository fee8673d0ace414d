import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import { dismissUnbooked } from '../../../payments/unbooked-payments.ts';
import { Reason, requireReadable } from '../shared/input.ts';
import {
  presentUnbookedPayment,
  UnbookedPaymentParams,
  UnbookedPaymentShape,
} from './unbooked-payment-shape.ts';

export const dismissUnbookedPayment = endpoint({
  audience: 'operator',
  operation: 'dismissUnbookedPayment',
  method: 'POST',
  path: '/unbooked-payments/{id}/dismiss',
  tag: 'money',
  summary: 'Dismiss a payment that is not in the books',
  description: 'For example one that was already booked manually or that you refund at the provider.',
  params: UnbookedPaymentParams,
  body: Input({ reason: Reason }),
  data: UnbookedPaymentShape,
  errors: ['invalid_state', 'not_found'],
  async handle({ params: { id }, body: { reason }, actor, services }) {
    requireReadable('reason', reason);
    const row = await services.db.transaction((tx) => dismissUnbooked(tx, services, { id, reason, actor }));
    return { data: presentUnbookedPayment(row) };
  },
});
