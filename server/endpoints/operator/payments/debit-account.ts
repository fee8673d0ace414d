import { requireOpen } from '../../../domain/accounts/account-status.ts';
import { debitAccount as debit } from '../../../domain/accounts/book-payment.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { AccountParams } from '../accounts/account-shape.ts';
import { ONCE_ERRORS } from '../shared/once.ts';
import { bookPayment, NewPayment } from './book-payment.ts';
import { BookedPaymentShape } from './payment-shape.ts';

export const debitAccount = endpoint({
  audience: 'operator',
  operation: 'debitAccount',
  method: 'POST',
  path: '/accounts/{id}/debits',
  money: true,
  tag: 'money',
  summary: 'Book a returned payment, such as a recalled one',
  params: AccountParams,
  body: NewPayment,
  data: BookedPaymentShape,
  errors: ['insufficient_funds', 'payment_exists', 'invalid_state', ...ONCE_ERRORS],
  handle: ({ params: { id }, body, services }) =>
    bookPayment(services, {
      id,
      path: `/accounts/${id}/debits`,
      body,
      book: debit,
      require: requireOpen,
      done: 'account debited',
    }),
});
