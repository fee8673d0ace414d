import { type PaymentRow, listPayments as queryPayments } from '../../../db/queries/money/payments.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { Currency, Enum, Id, Minor, Nullable, PageQuery, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

const PaymentShape = Shape(
  {
    id: Id('pay'),
    method: Type.String({ description: 'Payment method', examples: ['bank_transfer'] }),
    status: Enum(['pending', 'succeeded', 'failed', 'refunded'], {
      $id: 'PaymentStatus',
    }),
    amount_minor: Minor('Amount'),
    currency: Currency,
    reference: Type.String({ description: 'Reference of the payment outside this service' }),
    created_at: Timestamp(),
    settled_at: Nullable(Timestamp('When the money reached the wallet')),
  },
  { $id: 'Payment', description: 'A top-up of the wallet' },
);

function presentPayment(payment: PaymentRow) {
  const { id, method, status, currency, reference, created_at, settled_at } = payment;
  const amount_minor = toJsonInteger(payment.amount_minor);
  return { id, method, status, amount_minor, currency, reference, created_at, settled_at };
}

export const listPayments = endpoint({
  audience: 'customer',
  operation: 'listPayments',
  method: 'GET',
  path: '/v1/billing/payments',
  scope: 'billing:read',
  tag: 'billing',
  summary: 'List payments',
  description: 'Top-ups of the wallet, newest first.',
  query: Type.Object(PageQuery),
  data: Type.Array(PaymentShape),
  paginated: true,
  errors: ['invalid_cursor'],
  example: [
    {
      id: 'pay_01ke1wz8f2c4e6g8j0m2p4r6t8',
      method: 'bank_transfer',
      status: 'succeeded',
      amount_minor: 10000,
      currency: 'EUR',
      reference: 'INV-2026-0105',
      created_at: '2026-01-05T09:00:00.000Z',
      settled_at: '2026-01-05T09:00:00.000Z',
    },
  ],
  async handle({ caller, query, db }) {
    const page = pageFrom(query);
    return paginated(await queryPayments(db, caller.accountId, page), page, presentPayment);
  },
});
