import type { Database } from '../../db/database.ts';
import { findRefund } from '../../db/queries/money/top-up-refunds.ts';
import { findReversal } from '../../db/queries/money/top-up-reversals.ts';
import {
  findTopUpOfProvider,
  lockTopUp,
  systemFindTopUp,
  type TopUpRow,
} from '../../db/queries/money/top-ups.ts';
import {
  accountOfCustomer,
  findUnbookedOfProvider,
  noteTakenBack,
} from '../../db/queries/money/unbooked-payments.ts';
import { toJsonInteger } from '../../domain/billing/money.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { settleCharge } from '../auto-top-up.ts';
import { isOurs } from '../origin.ts';
import { noteProcessing } from '../processing.ts';
import { settleRefund } from '../refund-top-up.ts';
import { type Reversal, SimultaneousError, settleReversal } from '../reversals.ts';
import { PaymentMismatchError, settlePaid, settleUnpaid } from '../settle.ts';
import { keepMethod } from '../start-top-up.ts';
import { noteUnbooked } from '../unbooked-payments.ts';
import { type StripeApi, StripeRefusal } from './api.ts';
import {
  type Meaning,
  meaningOf,
  metadataOf,
  type Payment,
  type Reversed,
  type Uncounted,
} from './events.ts';
import { keptMethodOf, TOP_UP_KEY } from './provider.ts';

export interface WebhookParts {
  api: StripeApi;
  clock: Clock;
  db: Database;
  logger: Logger;
  secrets: SecretBox;
}

/**
 * Processes an event signed by Stripe. Events are repeated and come in any order: each is checked against the state of
 * the top-up, so that it counts once. If this throws, Stripe sends the event again.
 */
export async function receiveEvent(parts: WebhookParts, event: unknown): Promise<void> {
  const meaning = meaningOf(event);
  if (meaning) await act(parts, meaning);
}

/** Acts on an event's meaning; false if it is about something that is not ours. */
export async function act(parts: WebhookParts, meaning: Meaning): Promise<boolean> {
  const { db } = parts;
  switch (meaning.kind) {
    case 'paid':
      return takePayment(parts, meaning);
    case 'failed':
      return settle(parts, meaning.topUpId, async (topUp) => {
        const outcome = { status: 'failed', error: meaning.error } as const;
        if (topUp.cause === 'auto') await db.transaction((tx) => settleCharge(tx, parts, topUp, outcome));
        else if (!meaning.byItself) await unpaid(parts, topUp, outcome);
      });
    case 'expired':
      return settle(parts, meaning.topUpId, (topUp) =>
        unpaid(parts, topUp, { status: 'expired', error: null }),
      );
    case 'processing':
      return settle(parts, meaning.topUpId, ({ id }) =>
        db.transaction(async (tx) => {
          await noteProcessing(tx, parts, (await lockTopUp(tx, id))!, meaning.intentId);
        }),
      );
    case 'refunded':
      return takeRefund(parts, meaning);
    case 'reversed':
      return takeReversal(parts, meaning);
    case 'uncounted':
      return leaveUncounted(parts, meaning);
  }
}

/** Processes one of our top-ups; ignores any other, such as one of another installation on the same account. */
async function settle(
  { db, logger }: WebhookParts,
  id: string,
  work: (topUp: TopUpRow) => Promise<void>,
): Promise<boolean> {
  const topUp = await systemFindTopUp(db, id);
  const isKnown = topUp?.provider === 'stripe';
  if (isKnown) await work(topUp);
  else logger.warn({ top_up_id: id }, 'Stripe reports a top-up that is not ours');
  return isKnown;
}

function unpaid(
  parts: WebhookParts,
  { id }: TopUpRow,
  outcome: { status: 'failed' | 'expired'; error: string | null },
): Promise<void> {
  return parts.db.transaction(async (tx) => {
    await settleUnpaid(tx, parts, (await lockTopUp(tx, id))!, outcome);
  });
}

async function takePayment(parts: WebhookParts, meaning: Payment): Promise<boolean> {
  const { db, logger } = parts;
  const known = await systemFindTopUp(db, meaning.topUpId);
  if (!known && (await noteIfOurs(parts, meaning))) return true;
  // Paid a second time, for example by a charge that was repeated from an older copy of the books.
  if (
    known?.status === 'succeeded' &&
    known.provider_ref !== meaning.intentId &&
    known.provider === 'stripe'
  ) {
    await noteUnbooked(parts, { ...unbookedOf(parts, meaning), account_id: known.account_id });
    return true;
  }
  const { topUpId, intentId: providerRef, amountMinor, currency } = meaning;
  const paid = { providerRef, amountMinor, currency };
  return settle(parts, topUpId, async (topUp) => {
    try {
      await db.transaction(async (tx) => {
        if (topUp.cause === 'auto')
          await settleCharge(tx, parts, topUp, { status: 'succeeded', providerRef }, paid);
        else await settlePaid(tx, parts, (await lockTopUp(tx, topUpId))!, paid);
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.error({ top_up_id: topUpId, reason }, 'a payment is not booked: check Stripe');
      // A wrong amount would be the same if sent again; anything else may be temporary, such as an outage.
      if (error instanceof PaymentMismatchError) return;
      throw error;
    }
    await keepPaidMethod(parts, topUpId, providerRef);
  });
}

/** Leaves a payment whose top-up the books have lost to an operator; false if it may belong to another installation. */
async function noteIfOurs(parts: WebhookParts, payment: Payment): Promise<boolean> {
  const { db, secrets } = parts;
  const { origin, customerRef } = payment;
  const account_id =
    origin && isOurs(secrets, origin)
      ? origin.accountId
      : // A charge only has its customer.
        customerRef !== null && (await accountOfCustomer(db, 'stripe', customerRef));
  if (!account_id) return false;
  await noteUnbooked(parts, { ...unbookedOf(parts, payment), account_id });
  return true;
}

const unbookedOf = (
  { clock }: WebhookParts,
  { topUpId: top_up_id, intentId, amountMinor, currency, createdAt }: Payment,
) => ({
  ...{ provider: 'stripe', provider_ref: intentId, top_up_id },
  ...{ amount_minor: amountMinor, currency, paid_at: createdAt ?? clock.now() },
});

/** Books the outcome of a refund that was made here, for a payment through Stripe. */
async function takeRefund(
  parts: WebhookParts,
  { refundId, providerRef, failed, isDone, otherwise }: Meaning & { kind: 'refunded' },
): Promise<boolean> {
  const { db, logger } = parts;
  const refund = await findRefund(db, refundId);
  if (!refund && otherwise && (await act(parts, otherwise))) return true;
  const topUp = refund && (await systemFindTopUp(db, refund.top_up_id));
  if (topUp?.provider !== 'stripe') {
    logger.warn({ refund_id: refundId }, 'Stripe reports a refund that is not ours');
    return false;
  }
  const outcome =
    failed !== null
      ? ({ status: 'failed', error: failed } as const)
      : ({ status: isDone ? 'succeeded' : 'pending', providerRef } as const);
  await db.transaction((tx) => settleRefund(tx, parts, refundId, outcome));
  return true;
}

/** Books a reversal at Stripe of one of our payments. */
async function takeReversal(
  parts: WebhookParts,
  { intentId, currency, reversal }: Reversed,
): Promise<boolean> {
  const { logger } = parts;
  const topUp = await topUpOf(parts, intentId);
  if (!topUp) return noteTakenFromUnbooked(parts, intentId, reversal);
  if (topUp.status !== 'succeeded' || topUp.currency !== currency) {
    logger.error({ top_up_id: topUp.id }, 'a reversal is not booked: check Stripe');
    return true;
  }
  await bookReversal(parts, topUp, reversal);
  return true;
}

/**
 * Notes the reversal of a payment that is not in the books, so that an operator who has booked it manually sees the
 * reversal.
 */
async function noteTakenFromUnbooked(
  { db, logger }: WebhookParts,
  intentId: string,
  { providerRef, kind, amountMinor, isVoid }: Reversal,
): Promise<boolean> {
  const found = await findUnbookedOfProvider(db, 'stripe', intentId);
  if (!found) return false;
  await noteTakenBack(db, found.id, isVoid ? 0n : amountMinor);
  const { id, account_id } = found;
  const about = { unbooked_payment_id: id, account_id, kind, provider_ref: providerRef };
  if (isVoid) logger.warn(about, 'the reversal of a payment that is not in the books was canceled');
  else
    logger.error(
      { ...about, amount_minor: toJsonInteger(amountMinor) },
      'a payment that is not in the books was reversed: if you booked it manually, debit its account',
    );
  return true;
}

/**
 * Books a reversal. Of two amounts from the same second, which Stripe's times cannot tell apart, books the one that
 * Stripe has now.
 */
async function bookReversal(parts: WebhookParts, topUp: TopUpRow, told: Reversal): Promise<void> {
  const { api, db, logger } = parts;
  const book = (reversal: Reversal) =>
    db.transaction(async (tx) => settleReversal(tx, parts, (await lockTopUp(tx, topUp.id))!, reversal));
  try {
    await book(told);
  } catch (error) {
    if (!(error instanceof SimultaneousError)) throw error;
    const { kind, providerRef, toldAt } = told;
    const object = await thingOf(api, `/v1/${kind}s/${encodeURIComponent(providerRef)}`);
    const type = kind === 'dispute' ? 'charge.dispute.updated' : 'refund.updated';
    const meaning = meaningOf({ type, data: { object } });
    const current = meaning?.kind === 'refunded' ? meaning.otherwise : meaning;
    if (current?.kind === 'reversed') await book({ ...current.reversal, toldAt, isCurrent: true });
    else
      logger.error(
        { top_up_id: topUp.id, provider_ref: providerRef },
        'it is unknown which of two amounts was reversed: check Stripe',
      );
  }
}

/**
 * Leaves an amount that cannot be booked to the operator; a reversal that was undone is put back whatever the amount.
 */
async function leaveUncounted(
  parts: WebhookParts,
  { intentId, topUpId, providerRef, amount, currency, isVoid, toldAt }: Uncounted,
): Promise<boolean> {
  const { db, logger } = parts;
  const topUp = topUpId === null ? await topUpOf(parts, intentId) : await systemFindTopUp(db, topUpId);
  if (topUp?.provider !== 'stripe') return false;
  const known = topUpId === null ? await findReversal(db, providerRef) : undefined;
  if (known && isVoid) {
    const { kind, amount_minor: amountMinor } = known;
    await bookReversal(parts, topUp, { kind, providerRef, amountMinor, isVoid, toldAt });
  } else
    logger.error(
      { top_up_id: topUp.id, provider_ref: providerRef, amount: String(amount), currency },
      'an amount is not booked because it does not fit the books: check Stripe',
    );
  return true;
}

/**
 * Returns the top-up of a payment, if it is one of ours. The event about the payment may not have arrived yet: in that
 * case, the payment is fetched and booked first.
 */
async function topUpOf(parts: WebhookParts, intentId: string): Promise<TopUpRow | undefined> {
  const { api, db } = parts;
  const known = await findTopUpOfProvider(db, 'stripe', intentId);
  if (known?.status === 'succeeded') return known;
  const intent = await intentOf(api, intentId);
  const id = intent && metadataOf(intent, TOP_UP_KEY);
  const topUp = id === undefined ? undefined : await systemFindTopUp(db, id);
  if (!intent || topUp?.provider !== 'stripe') return undefined;
  const meaning = meaningOf({ type: 'payment_intent.succeeded', data: { object: intent } });
  if (meaning?.kind === 'paid' && intent.status === 'succeeded') await takePayment(parts, meaning);
  return systemFindTopUp(db, topUp.id);
}

/** Returns Stripe's payment; undefined if Stripe does not know it. */
const intentOf = (api: StripeApi, id: string) =>
  thingOf(api, `/v1/payment_intents/${encodeURIComponent(id)}`);

async function thingOf(api: StripeApi, path: string): Promise<Record<string, unknown> | undefined> {
  try {
    return await api.get(path);
  } catch (error) {
    if (error instanceof StripeRefusal) return undefined;
    throw error;
  }
}

/** Keeps the card if its owner wanted that; after the payment is booked, which must not wait for this. */
async function keepPaidMethod(parts: WebhookParts, id: string, intentId: string): Promise<void> {
  const { api, db } = parts;
  const topUp = await systemFindTopUp(db, id);
  if (!topUp?.keep_method || topUp.payment_method_id !== null) return;
  const method = await keptMethodOf(api, intentId);
  if (!method) return;
  await db.transaction(async (tx) => {
    const locked = await lockTopUp(tx, id);
    if (locked && locked.payment_method_id === null) await keepMethod(tx, parts, locked, method);
  });
}
