import type { Origin } from '../origin.ts';
import type { Reversal } from '../reversals.ts';
import { fromStripe } from './amounts.ts';
import { isObject } from './api.ts';
import { ACCOUNT_KEY, MARK_KEY, REFUND_KEY, TOP_UP_KEY } from './provider.ts';

/** A payment received for a top-up. */
export interface Payment {
  kind: 'paid';
  topUpId: string;
  intentId: string;
  amountMinor: bigint;
  currency: string;
  /** The payment's origin, if Stripe has it. */
  origin: Origin | null;
  /** Stripe's id of the customer, if it keeps one. */
  customerRef: string | null;
  /** When the payment was started. */
  createdAt: Date | null;
}

/** A reversal that started at Stripe: a refund made there, or a dispute. */
export interface Reversed {
  kind: 'reversed';
  intentId: string;
  currency: string;
  reversal: Reversal;
}

/** An amount that the books cannot represent: none at all, or a fraction of the minor unit. */
export interface Uncounted {
  kind: 'uncounted';
  intentId: string;
  /** The top-up that was paid; null for a reversal. */
  topUpId: string | null;
  /** The id of the refund or the dispute; for a payment, its own id. */
  providerRef: string;
  amount: unknown;
  currency: string;
  /** The reversal was undone, so its amount does not matter. */
  isVoid: boolean;
  toldAt: Date | undefined;
}

/** The meaning of a Stripe event for us. */
export type Meaning =
  | Payment
  /** `byItself` means a charge without its customer; a customer on Stripe's page can try another card. */
  | { kind: 'failed'; topUpId: string; error: string; byItself: boolean }
  | { kind: 'expired'; topUpId: string }
  /** The customer has paid with a method that takes days. */
  | { kind: 'processing'; topUpId: string; intentId: string }
  | {
      kind: 'refunded';
      refundId: string;
      providerRef: string;
      failed: string | null;
      isDone: boolean;
      /** The meaning if the books do not have the refund, as in an older copy of them. */
      otherwise: Reversed | Uncounted | undefined;
    }
  | Reversed
  | Uncounted;

/**
 * Returns the meaning of an event; undefined if it has none here, such as an event of another application on the same
 * account.
 */
export function meaningOf(event: unknown): Meaning | undefined {
  if (!isObject(event) || !isObject(event.data) || !isObject(event.data.object)) return undefined;
  const { object } = event.data;
  const toldAt = typeof event.created === 'number' ? new Date(event.created * 1000) : undefined;
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      // A direct debit completes its session long before it is paid.
      return object.payment_status === 'paid'
        ? paid(object, object.payment_intent, object.amount_total)
        : processing(object, object.payment_intent);
    case 'checkout.session.async_payment_failed':
      return failed(object, 'The payment failed.', false);
    case 'checkout.session.expired':
      return withTopUp(object, (topUpId) => ({ kind: 'expired', topUpId }));
    case 'payment_intent.succeeded':
      return paid(object, object.id, object.amount_received);
    case 'payment_intent.processing':
      return processing(object, object.id);
    case 'payment_intent.payment_failed': {
      const error = isObject(object.last_payment_error) ? object.last_payment_error.message : undefined;
      return failed(object, typeof error === 'string' ? error : 'The payment failed.', true);
    }
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated':
      return refunded(object, toldAt);
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
    case 'charge.dispute.closed':
      return disputed(object, toldAt);
    default:
      return undefined;
  }
}

/** Returns our id in the metadata of a Stripe object. */
export function metadataOf(object: Record<string, unknown>, key: string): string | undefined {
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
  if (typeof intentId !== 'string') return undefined;
  if (amountMinor === undefined)
    return withTopUp(object, (topUpId) => ({
      ...{ kind: 'uncounted', intentId, topUpId, providerRef: intentId, amount, currency },
      ...{ isVoid: false, toldAt: undefined },
    }));
  return withTopUp(object, (topUpId) => ({
    kind: 'paid',
    topUpId,
    intentId,
    amountMinor,
    currency,
    origin: originIn(object, topUpId),
    customerRef: typeof object.customer === 'string' ? object.customer : null,
    createdAt: typeof object.created === 'number' ? new Date(object.created * 1000) : null,
  }));
}

function originIn(object: Record<string, unknown>, topUpId: string): Origin | null {
  const accountId = metadataOf(object, ACCOUNT_KEY);
  const mark = isObject(object.metadata) ? object.metadata[MARK_KEY] : undefined;
  return accountId !== undefined && typeof mark === 'string' && /^[0-9a-f]{32}$/.test(mark)
    ? { topUpId, accountId, mark }
    : null;
}

function processing(object: Record<string, unknown>, intentId: unknown): Meaning | undefined {
  if (typeof intentId !== 'string') return undefined;
  return withTopUp(object, (topUpId) => ({ kind: 'processing', topUpId, intentId }));
}

const failed = (object: Record<string, unknown>, error: string, byItself: boolean) =>
  withTopUp(object, (topUpId) => ({ kind: 'failed', topUpId, error, byItself }));

function refunded(object: Record<string, unknown>, toldAt?: Date): Meaning | undefined {
  const { id, status, failure_reason } = object;
  const refundId = metadataOf(object, REFUND_KEY);
  const failed = status === 'failed' || status === 'canceled' ? String(failure_reason ?? status) : null;
  const otherwise = reversed(object, 'refund', failed !== null, toldAt);
  if (refundId === undefined || typeof id !== 'string') return otherwise;
  return { kind: 'refunded', refundId, providerRef: id, failed, isDone: status === 'succeeded', otherwise };
}

/** A dispute whose status begins with "warning" is an inquiry: no money has moved. */
function disputed(object: Record<string, unknown>, toldAt?: Date): Meaning | undefined {
  switch (object.status) {
    case 'needs_response':
    case 'under_review':
    case 'lost':
      return reversed(object, 'dispute', false, toldAt);
    case 'won':
    case 'warning_closed':
    case 'prevented':
      return reversed(object, 'dispute', true, toldAt);
    default:
      return undefined;
  }
}

function reversed(
  { id, payment_intent: intentId, amount, currency: code }: Record<string, unknown>,
  kind: Reversal['kind'],
  isVoid: boolean,
  toldAt?: Date,
): Reversed | Uncounted | undefined {
  const currency = typeof code === 'string' ? code.toUpperCase() : '';
  const amountMinor = fromStripe(amount, currency);
  if (typeof id !== 'string' || typeof intentId !== 'string') return undefined;
  if (!amountMinor)
    return { kind: 'uncounted', intentId, topUpId: null, providerRef: id, amount, currency, isVoid, toldAt };
  const reversal = { kind, providerRef: id, amountMinor, isVoid, toldAt };
  return { kind: 'reversed', intentId, currency, reversal };
}
