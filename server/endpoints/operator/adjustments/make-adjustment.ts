import { creditOrDebit } from '../../../domain/billing/adjustments/credit-or-debit.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Input } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { AccountParams } from '../accounts/account-shape.ts';
import { requireAccount } from '../accounts/require-account.ts';
import { AmountFields, amountOf } from '../shared/amount.ts';
import { Reason } from '../shared/input.ts';
import { Key, ONCE_ERRORS } from '../shared/once.ts';
import { MadeAdjustmentShape } from './adjustment-shape.ts';
import { makeCorrection } from './make-correction.ts';

export const makeAdjustment = endpoint({
  audience: 'operator',
  operation: 'makeAdjustment',
  method: 'POST',
  path: '/accounts/{id}/adjustments',
  money: true,
  tag: 'money',
  summary: 'Credit or debit an account independently of a sale',
  params: AccountParams,
  body: Input({
    type: Enum(['credit', 'debit']),
    ...AmountFields,
    vm_id: Type.Optional(Type.String({ description: 'The VM concerned' })),
    reason: Reason,
    key: Key,
  }),
  data: MadeAdjustmentShape,
  errors: ['insufficient_funds', 'invalid_state', ...ONCE_ERRORS],
  handle: ({ params: { id }, body, actor, services }) =>
    makeCorrection(services, `/accounts/${id}/adjustments`, body, async (tx) => {
      const { catalog, clock } = services;
      const { type, vm_id: vmId, reason } = body;
      const account = await requireAccount(tx, id);
      const amountMinor = amountOf(body, account.currency);
      return creditOrDebit({ tx, clock }, catalog, { type, account, amountMinor, vmId, reason, actor });
    }),
});
