import { requireOpenOrOwing } from '../../../domain/accounts/account-status.ts';
import { creditAccount as credit } from '../../../domain/accounts/book-payment.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { AccountParams } from '../accounts/account-shape.ts';
import { ONCE_ERRORS } from '../shared/once.ts';
import { bookPayment, NewPayment } from './book-payment.ts';
import { BookedPaymentShape } from './payment-shape.ts';

export const creditAccount = endpoint({
  audience: 'operator',
  operation: 'creditAccount',
  method: 'POST',
  path: '/accounts/{id}/credits',
  money: true,
  tag: 'money',
  summary: 'Book a received payment',
  description: 'Allowed for a closed account only if it has a debt.',
  params: AccountParams,
  body: NewPayment,
  data: BookedPaymentShape,
  errors: ['payment_exists', 'invalid_state', ...ONCE_ERRORS],
  handle: ({ params: { id }, body, services }) =>
    bookPayment(services, {
      id,
      path: `/accounts/${id}/credits`,
      body,
      book: credit,
      require: requireOpenOrOwing,
      done: 'account credited',
    }),
});
