import { findUnbookedPayment } from '../../../db/queries/money/unbooked-payments.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, PathId } from '../../../http/schemas.ts';
import { ProviderUnavailableError } from '../../../payments/provider.ts';
import { actOn, reversalsOf } from '../../../payments/stripe/compare.ts';
import { bookUnbooked } from '../../../payments/unbooked-payments.ts';
import { ApiError } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import {
  presentUnbookedPayment,
  UnbookedPaymentParams,
  UnbookedPaymentShape,
} from './unbooked-payment-shape.ts';

/** Seconds after which the caller may retry if the provider does not answer. */
const RETRY_SECONDS = 30;

export const bookUnbookedPayment = endpoint({
  audience: 'operator',
  operation: 'bookUnbookedPayment',
  method: 'POST',
  path: '/unbooked-payments/{id}/book',
  money: true,
  tag: 'money',
  summary: 'Book a payment that the provider has but the books do not',
  description:
    'Puts its top-up into the books again and debits the wallet by all refunds and disputes since then.',
  params: UnbookedPaymentParams,
  body: Input({
    account_id: Type.Optional(PathId('acc', 'Account that paid it, if the provider does not know')),
  }),
  data: UnbookedPaymentShape,
  errors: ['invalid_state', 'not_found', 'service_unavailable'],
  async handle({ params: { id }, body: { account_id: accountId }, actor, services }) {
    const { db, payments } = services;
    const found = await findUnbookedPayment(db, id);
    const api = found && payments.find(found.provider) && payments.stripe?.api;
    // Read before anything is booked: money that has already been refunded must not be spent.
    const reversals = api ? await reversalsOf(api, found.provider_ref).catch(unavailable) : [];
    const row = await db.transaction((tx) => bookUnbooked(tx, services, { id, accountId, actor }));
    if (api) for (const [type, thing] of reversals) await actOn({ ...services, api }, type, thing);
    return { data: presentUnbookedPayment(row) };
  },
});

function unavailable(error: unknown): never {
  if (!(error instanceof ProviderUnavailableError)) throw error;
  throw new ApiError('service_unavailable', 'The payment provider is not responding. Nothing was booked.', {
    retry_after_seconds: RETRY_SECONDS,
  });
}
