import type { Database } from '../../db/database.ts';
import { findRefund } from '../../db/queries/top-up-refunds.ts';
import { findTopUpOfProvider, lockTopUp, systemFindTopUp, type TopUpRow } from '../../db/queries/top-ups.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { settleCharge } from '../auto-top-up.ts';
import { settleRefund } from '../refund-top-up.ts';
import { PaymentMismatchError, settlePaid, settleUnpaid } from '../settle.ts';
import { keepMethod } from '../start-top-up.ts';
import type { StripeApi } from './api.ts';
import { type Meaning, meaningOf } from './events.ts';
import { keptMethodOf } from './provider.ts';

/** What the events of Stripe are dealt with by. */
export interface WebhookParts {
  api: StripeApi;
  clock: Clock;
  db: Database;
  logger: Logger;
  secrets: SecretBox;
}

/**
 * Does what an event says, which was signed by Stripe. Events come more than once and in any order: what they say is held
 * against the state of the top-up, so that each one counts once. A throw has Stripe send it again.
 */
export async function receiveEvent(parts: WebhookParts, event: unknown): Promise<void> {
  const meaning = meaningOf(event);
  if (meaning) await act(parts, meaning);
}

async function act(parts: WebhookParts, meaning: Meaning): Promise<void> {
  const { db, logger } = parts;
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
    case 'refunded':
      return takeRefund(parts, meaning);
    case 'foreign': {
      const topUp = await findTopUpOfProvider(db, 'stripe', meaning.intentId);
      if (topUp)
        logger.error(
          { top_up_id: topUp.id, account_id: topUp.account_id },
          `${meaning.what} at Stripe: book it with vaubanctl account debit`,
        );
    }
  }
}

/** Works on a top-up of ours; one that is not, such as of another installation at the same account, is left alone. */
async function settle(
  { db, logger }: WebhookParts,
  id: string,
  work: (topUp: TopUpRow) => Promise<void>,
): Promise<void> {
  const topUp = await systemFindTopUp(db, id);
  if (topUp?.provider === 'stripe') await work(topUp);
  else logger.warn({ top_up_id: id }, 'Stripe tells of a top-up that is not ours');
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

function takePayment(parts: WebhookParts, meaning: Meaning & { kind: 'paid' }): Promise<void> {
  const { db, logger } = parts;
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
      logger.error({ top_up_id: topUpId, reason }, 'a payment is not booked: look at Stripe');
      // Sent again another amount would be the same; anything else may pass, such as an outage.
      if (error instanceof PaymentMismatchError) return;
      throw error;
    }
    await keepPaidMethod(parts, topUpId, providerRef);
  });
}

/** Books what became of a refund that was made here, of what came by Stripe. */
async function takeRefund(
  parts: WebhookParts,
  { refundId, providerRef, failed, isDone }: Meaning & { kind: 'refunded' },
): Promise<void> {
  const { db, logger } = parts;
  const refund = await findRefund(db, refundId);
  const topUp = refund && (await systemFindTopUp(db, refund.top_up_id));
  if (topUp?.provider !== 'stripe') {
    logger.warn({ refund_id: refundId }, 'Stripe tells of a refund that is not ours');
    return;
  }
  const outcome =
    failed !== null
      ? ({ status: 'failed', error: failed } as const)
      : ({ status: isDone ? 'succeeded' : 'pending', providerRef } as const);
  await db.transaction((tx) => settleRefund(tx, parts, refundId, outcome));
}

/** Keeps the card, where its owner wanted it: after the money, which does not wait for it. */
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
