import {
  type Charge,
  type KeptMethod,
  type Outcome,
  type PaymentOrder,
  type PaymentProvider,
  ProviderUnavailableError,
  type Refund,
  type RefundOutcome,
} from '../provider.ts';
import { stripeUnit, toStripe } from './amounts.ts';
import { isObject, type StripeApi, StripeRefusal } from './api.ts';

/** The time in which a session can be paid; Stripe allows between half an hour and a day. */
const VALID_MS = 3_600_000;
/** Metadata key of our top-up's id in Stripe's objects. */
export const TOP_UP_KEY = 'vauban_top_up';
/** Metadata keys of the payment's owner, in case its top-up is not in the books; see {@link Origin}. */
export const ACCOUNT_KEY = 'vauban_account';
export const MARK_KEY = 'vauban_mark';
/** Metadata key of our refund's id. */
export const REFUND_KEY = 'vauban_refund';

/** Payment by Stripe: its own page asks for the card, and a card that is kept can be charged again. */
export function stripeProvider(api: StripeApi, brandName: string): PaymentProvider {
  return {
    name: 'stripe',
    validMs: VALID_MS,
    canCharge: true,
    unit: stripeUnit,
    begin: (order) => begin(api, brandName, order),
    cancel: (sessionRef) => expireSession(api, sessionRef),
    forget: (methodRef) => detachMethod(api, methodRef),
    charge: (charge) => chargeMethod(api, charge),
    refund: (refund) => refundPayment(api, refund),
  };
}

async function begin(api: StripeApi, brandName: string, order: PaymentOrder) {
  const { accountId, mark } = order.origin;
  const metadata = { [TOP_UP_KEY]: order.id, [ACCOUNT_KEY]: accountId, [MARK_KEY]: mark };
  const session = await api.post(
    '/v1/checkout/sessions',
    {
      mode: 'payment',
      client_reference_id: order.id,
      metadata,
      line_items: [
        {
          quantity: 1,
          price_data: {
            currency: order.currency.toLowerCase(),
            unit_amount: toStripe(order.amountMinor, order.currency),
            product_data: { name: `${brandName}: ${order.reference}` },
          },
        },
      ],
      payment_intent_data: {
        metadata,
        ...(order.keepMethod && { setup_future_usage: 'off_session' }),
      },
      ...customerOf(order),
      success_url: order.returnUrl,
      cancel_url: order.returnUrl,
      expires_at: Math.floor(order.expiresAt.getTime() / 1000),
    },
    `begin ${order.id}`,
  );
  const { id, url } = session;
  if (typeof id !== 'string' || typeof url !== 'string' || !/^https?:\/\//.test(url))
    throw new ProviderUnavailableError('Stripe created a session without an address');
  return {
    next: { kind: 'redirect' as const, url },
    sessionRef: id,
    // Only the later payment has an id that can be refunded; a session cannot be.
    providerRef: null,
    outcome: { status: 'pending' as const, providerRef: null },
    method: null,
  };
}

/** Stripe refuses to expire a session that is paid or has already ended: its events report the outcome. */
async function expireSession(api: StripeApi, sessionRef: string): Promise<boolean> {
  try {
    await api.post(
      `/v1/checkout/sessions/${encodeURIComponent(sessionRef)}/expire`,
      {},
      `expire ${sessionRef}`,
    );
    return true;
  } catch (error) {
    if (!(error instanceof StripeRefusal)) throw error;
    const { status } = await api.get(`/v1/checkout/sessions/${encodeURIComponent(sessionRef)}`);
    return status === 'expired';
  }
}

async function detachMethod(api: StripeApi, methodRef: string): Promise<void> {
  try {
    await api.post(`/v1/payment_methods/${encodeURIComponent(methodRef)}/detach`, {}, `detach ${methodRef}`);
  } catch (error) {
    // Stripe no longer keeps the method.
    if (!(error instanceof StripeRefusal)) throw error;
  }
}

const customerOf = ({ customerRef, keepMethod }: PaymentOrder) =>
  customerRef !== null ? { customer: customerRef } : keepMethod ? { customer_creation: 'always' } : {};

async function chargeMethod(
  api: StripeApi,
  { id, amountMinor, currency, customerRef, methodRef }: Charge,
): Promise<Outcome> {
  try {
    const intent = await api.post(
      '/v1/payment_intents',
      {
        amount: toStripe(amountMinor, currency),
        currency: currency.toLowerCase(),
        customer: customerRef,
        payment_method: methodRef,
        off_session: true,
        confirm: true,
        // The customer is not present to be redirected to a bank's page.
        automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
        // Only what the last release sent: a retry with other parameters would be refused.
        metadata: { [TOP_UP_KEY]: id },
      },
      `charge ${id}`,
    );
    return outcomeOf(intent);
  } catch (error) {
    if (error instanceof StripeRefusal) return { status: 'failed', error: error.message };
    throw error;
  }
}

function outcomeOf({ id, status }: Record<string, unknown>): Outcome {
  if (typeof id !== 'string') throw new ProviderUnavailableError('Stripe created a payment without an id');
  switch (status) {
    case 'succeeded':
      return { status: 'succeeded', providerRef: id };
    case 'processing':
      return { status: 'processing', providerRef: id };
    default:
      // Such as requires_action: the bank wants the customer, who is not present.
      return { status: 'failed', error: 'The bank requires you to confirm this payment.' };
  }
}

async function refundPayment(
  api: StripeApi,
  { id, providerRef, amountMinor, currency }: Refund,
): Promise<RefundOutcome> {
  try {
    const made = await api.post(
      '/v1/refunds',
      {
        payment_intent: providerRef,
        amount: toStripe(amountMinor, currency),
        metadata: { [REFUND_KEY]: id },
      },
      `refund ${id}`,
    );
    if (typeof made.id !== 'string')
      throw new ProviderUnavailableError('Stripe created a refund without an id');
    if (made.status === 'failed' || made.status === 'canceled')
      return { status: 'failed', error: String(made.failure_reason ?? made.status) };
    return { status: made.status === 'succeeded' ? 'succeeded' : 'pending', providerRef: made.id };
  } catch (error) {
    if (error instanceof StripeRefusal) return { status: 'failed', error: error.message };
    throw error;
  }
}

/** Returns the method that a payment kept for later, if any. */
export async function keptMethodOf(api: StripeApi, intentId: string): Promise<KeptMethod | null> {
  const intent = await api.get(
    `/v1/payment_intents/${encodeURIComponent(intentId)}?expand%5B%5D=payment_method`,
  );
  const { customer, payment_method: method, setup_future_usage } = intent;
  if (setup_future_usage !== 'off_session' || typeof customer !== 'string' || !isObject(method)) return null;
  if (typeof method.id !== 'string') return null;
  return { customerRef: customer, methodRef: method.id, ...describeMethod(method) };
}

function describeMethod(method: Record<string, unknown>): Pick<KeptMethod, 'label' | 'expiresOn'> {
  const { card } = method;
  if (!isObject(card)) return { label: String(method.type ?? 'method').slice(0, 40), expiresOn: null };
  const brand = String(card.display_brand ?? card.brand ?? 'card').slice(0, 30);
  const expiresOn =
    typeof card.exp_year === 'number' && typeof card.exp_month === 'number'
      ? `${card.exp_year}-${String(card.exp_month).padStart(2, '0')}`
      : null;
  return { label: `${brand} ${String(card.last4 ?? '').slice(0, 4)}`, expiresOn };
}
