import { SHOWN_TOP_UP_STATUSES, shownStatus, type TopUpRow } from '../../../db/queries/money/top-ups.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { Currency, Enum, Id, Minor, Nullable, PathId, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const TopUpParams = Type.Object({ id: PathId('top', 'Top-up identifier') });

const fields = {
  id: Id('top'),
  provider: Type.String({ description: 'Payment method', examples: ['bank_transfer'] }),
  cause: Enum(['person', 'auto'], { description: 'Origin of the top-up: a person or automatic top-up' }),
  status: Enum(SHOWN_TOP_UP_STATUSES, {
    description:
      '`processing`: paid in a way that takes days, such as a direct debit. Late payments are still booked: a failed or expired top-up can succeed later',
  }),
  amount_minor: Minor('Amount'),
  currency: Currency,
  reference: Type.String({ description: 'Reference of the payment', examples: ['TU-7K3M-9QXD'] }),
  error: Nullable(Type.String({ description: 'Reason for the failure' })),
  payment_id: Nullable(Id('pay')),
  created_at: Timestamp(),
  expires_at: Nullable(Timestamp('When it expires')),
  settled_at: Nullable(Timestamp('When it was decided')),
};

export const TopUpShape = Shape(fields, { $id: 'TopUp', description: 'A top-up of the wallet' });

export const NextStepShape = Type.Union(
  [
    Shape({ kind: Type.Literal('done') }),
    Shape({ kind: Type.Literal('redirect'), url: Type.String({ description: "The provider's page" }) }),
    Shape({
      kind: Type.Literal('bank_transfer'),
      reference: Type.String({
        description: 'Reference that the transfer must contain',
        examples: ['TU-7K3M-9QXD'],
      }),
      recipient: Type.String(),
      iban: Type.String(),
      bic: Nullable(Type.String()),
    }),
  ],
  { $id: 'NextStep', description: 'Next step for the customer' },
);

export const OneTopUpShape = Shape(
  { ...fields, next: Nullable(NextStepShape) },
  { $id: 'OneTopUp', description: 'A top-up and its next step' },
);

export function presentTopUp(topUp: TopUpRow) {
  const { id, provider, cause, currency, reference, error, payment_id } = topUp;
  const status = shownStatus(topUp);
  const { created_at, expires_at, settled_at } = topUp;
  const amount_minor = toJsonInteger(topUp.amount_minor);
  const what = { id, provider, cause, status, amount_minor, currency, reference, error, payment_id };
  return { ...what, created_at, expires_at, settled_at };
}
