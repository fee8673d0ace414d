import type { Origin } from '../origin.ts';
import type { Reversal } from '../reversals.ts';
import { fromStripe } from './amounts.ts';
import { isObject } from './api.ts';
import { ACCOUNT_KEY, MARK_KEY, REFUND_KEY, TOP_UP_KEY } from './provider.ts';

/** Money that came for a top-up. */
export interface Payment {
  kind: 'paid';
  topUpId: string;
  intentId: string;
  amountMinor: bigint;
  currency: string;
  /** Whose it is, where Stripe was told. */
  origin: Origin | null;
  /** As Stripe knows who paid, where it keeps them. */
  customerRef: string | null;
  /** When the payment was begun. */
  createdAt: Date | null;
}

/** What began there: a refund by hand, a dispute. */
export interface Reversed {
  kind: 'reversed';
  intentId: string;
  currency: string;
  reversal: Reversal;
}

/** Money of an amount that the books cannot have: none, or a part of their smallest unit. */
export interface Uncounted {
  kind: 'uncounted';
  intentId: string;
  /** The top-up that was paid; null where a payment was taken back. */
  topUpId: string | null;
  /** The refund or the dispute; the payment itself where it was paid. */
  providerRef: string;
  amount: unknown;
  currency: string;
  /** It came to nothing, for which its amount does not matter. */
  isVoid: boolean;
  toldAt: Date | undefined;
}

/** What an event of Stripe's means for us. */
export type Meaning =
  | Payment
  /** `byItself`: of a charge without its customer; one who sits at Stripe's page tries again with another card. */
  | { kind: 'failed'; topUpId: string; error: string; byItself: boolean }
  | { kind: 'expired'; topUpId: string }
  /** The customer has paid in a way that takes days. */
  | { kind: 'processing'; topUpId: string; intentId: string }
  | {
      kind: 'refunded';
      refundId: string;
      providerRef: string;
      failed: string | null;
      isDone: boolean;
      /** The same as it looks where the books do not have the refund, as an older copy of them. */
      otherwise: Reversed | Uncounted | undefined;
    }
  | Reversed
  | Uncounted;

/** The meaning of an event; undefined for one that means nothing here, such as of another application at the same account. */
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

/** The id of ours that an object of Stripe's carries. */
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

/** A dispute whose status begins with "warning" is a question: no money has moved. */
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
