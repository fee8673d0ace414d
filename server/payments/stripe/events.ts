import { fromStripe } from './amounts.ts';
import { isObject } from './api.ts';
import { REFUND_KEY, TOP_UP_KEY } from './provider.ts';

/** What an event of Stripe's means for us. */
export type Meaning =
  | { kind: 'paid'; topUpId: string; intentId: string; amountMinor: bigint; currency: string }
  /** `byItself`: of a charge without its customer; one who sits at Stripe's page tries again with another card. */
  | { kind: 'failed'; topUpId: string; error: string; byItself: boolean }
  | { kind: 'expired'; topUpId: string }
  | { kind: 'refunded'; refundId: string; providerRef: string; failed: string | null; isDone: boolean }
  /** Of what nobody here has asked for: the operator has to book it. */
  | { kind: 'foreign'; what: string; intentId: string };

/** The meaning of an event; undefined for one that means nothing here, such as of another application at the same account. */
export function meaningOf(event: unknown): Meaning | undefined {
  if (!isObject(event) || !isObject(event.data) || !isObject(event.data.object)) return undefined;
  const { object } = event.data;
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      // A direct debit completes its session long before it is paid.
      return object.payment_status === 'paid'
        ? paid(object, object.payment_intent, object.amount_total)
        : undefined;
    case 'checkout.session.async_payment_failed':
      return failed(object, 'The payment failed.', false);
    case 'checkout.session.expired':
      return withTopUp(object, (topUpId) => ({ kind: 'expired', topUpId }));
    case 'payment_intent.succeeded':
      return paid(object, object.id, object.amount_received);
    case 'payment_intent.payment_failed': {
      const error = isObject(object.last_payment_error) ? object.last_payment_error.message : undefined;
      return failed(object, typeof error === 'string' ? error : 'The payment failed.', true);
    }
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated':
      return refunded(object);
    case 'charge.dispute.created':
      return foreign(object, 'a payment is disputed');
    default:
      return undefined;
  }
}

function metadataOf(object: Record<string, unknown>, key: string): string | undefined {
  const value = isObject(object.metadata) ? object.metadata[key] : undefined;
  return typeof value === 'string' && /^[a-z]{3}_[0-9a-z]{26}$/.test(value) ? value : undefined;
}

function withTopUp(object: Record<string, unknown>, mean: (id: string) => Meaning): Meaning | undefined {
  const id = metadataOf(object, TOP_UP_KEY);
  return id === undefined ? undefined : mean(id);
}

function paid(object: Record<string, unknown>, intentId: unknown, amount: unknown): Meaning | undefined {
  const currency = typeof object.currency === 'string' ? object.currency.toUpperCase() : '';
  const amountMinor = fromStripe(amount, currency);
  if (typeof intentId !== 'string' || amountMinor === undefined) return undefined;
  return withTopUp(object, (topUpId) => ({ kind: 'paid', topUpId, intentId, amountMinor, currency }));
}

const failed = (object: Record<string, unknown>, error: string, byItself: boolean) =>
  withTopUp(object, (topUpId) => ({ kind: 'failed', topUpId, error, byItself }));

function refunded(object: Record<string, unknown>): Meaning | undefined {
  const { id, status, failure_reason } = object;
  const refundId = metadataOf(object, REFUND_KEY);
  if (refundId === undefined || typeof id !== 'string') return foreign(object, 'a payment was refunded');
  const failed = status === 'failed' || status === 'canceled' ? String(failure_reason ?? status) : null;
  return { kind: 'refunded', refundId, providerRef: id, failed, isDone: status === 'succeeded' };
}

function foreign({ payment_intent: intentId }: Record<string, unknown>, what: string): Meaning | undefined {
  return typeof intentId === 'string' ? { kind: 'foreign', what, intentId } : undefined;
}
