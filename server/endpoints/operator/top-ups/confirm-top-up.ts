import { lockTopUp, systemFindTopUp } from '../../../db/queries/money/top-ups.ts';
import { formatMinor } from '../../../domain/billing/money.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import { settlePaid } from '../../../payments/settle.ts';
import { ApiError, invalidField, notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { AmountFields, amountField, amountOf } from '../shared/amount.ts';
import { presentTopUp, TopUpParams, TopUpShape } from './top-up-shape.ts';

export const confirmTopUp = endpoint({
  audience: 'operator',
  operation: 'confirmTopUp',
  method: 'POST',
  path: '/top-ups/{id}/confirm',
  money: true,
  tag: 'money',
  summary: 'Confirm a bank transfer that has arrived',
  description:
    'The amount must be that of the top-up. Book any other amount with `creditAccount` under the same reference. A second confirmation returns the same response.',
  params: TopUpParams,
  body: Input({
    ...AmountFields,
    currency: Type.Optional(
      Type.String({ pattern: '^[A-Z]{3}$', description: 'Defaults to that of the account' }),
    ),
  }),
  data: TopUpShape,
  errors: ['invalid_state', 'payment_exists'],
  async handle({ params: { id }, body, services }) {
    const { catalog, db } = services;
    const topUp = await db.transaction(async (tx) => {
      const found = await systemFindTopUp(tx, id);
      const locked = found && (await lockTopUp(tx, found.id));
      if (!locked) throw notFound();
      const { provider, amount_minor, currency } = locked;
      if (provider !== 'bank_transfer')
        throw new ApiError('invalid_state', `Payments by ${provider} are only confirmed by that provider.`, {
          provider,
        });
      if ((body.currency ?? currency) !== currency)
        throw invalidField('currency', 'conflict', `must be ${currency}, the currency of the top-up`);
      const arrived = amountOf(body, catalog.currency);
      if (arrived !== amount_minor)
        throw invalidField(
          amountField(body),
          'conflict',
          `must be ${formatMinor(amount_minor, currency)}, the amount of the top-up; book another one with account credit`,
        );
      return settlePaid(tx, services, locked, { amountMinor: arrived, currency, providerRef: null });
    });
    return { data: presentTopUp(topUp) };
  },
});
