import { changeTopUp, lockTopUp, type TopUpRow } from '../../db/queries/money/top-ups.ts';
import { MISSING_MS, RECHECK_MS } from '../processing.ts';
import { ProviderUnavailableError } from '../provider.ts';
import { isObject, StripeRefusal } from './api.ts';
import { meaningOf } from './events.ts';
import { act, type WebhookParts } from './webhook.ts';

/** The reason shown to the owner. If the money arrives anyway, it is booked then. */
const MISSING = 'The payment provider does not know this payment.';

/**
 * Asks Stripe about a payment that it is processing, and does what the event about its end would have done. If Stripe
 * does not answer or is still processing it, it is asked again later. A payment that stays unknown to Stripe for
 * {@link MISSING_MS} has failed.
 */
export async function recheckPayment(
  parts: WebhookParts,
  { id, provider_ref }: Pick<TopUpRow, 'id' | 'provider_ref'>,
): Promise<void> {
  const { api, clock, db, logger } = parts;
  const due = await db.transaction(async (tx) => {
    const topUp = await lockTopUp(tx, id);
    if (topUp?.status !== 'pending' || !topUp.recheck_at) return undefined;
    return changeTopUp(tx, topUp, { recheck_at: new Date(clock.now().getTime() + RECHECK_MS) });
  });
  if (!due || provider_ref === null) return;
  let intent: Record<string, unknown>;
  try {
    intent = await api.get(`/v1/payment_intents/${encodeURIComponent(provider_ref)}`);
  } catch (error) {
    if (!(error instanceof ProviderUnavailableError) && !(error instanceof StripeRefusal)) throw error;
    if (error instanceof StripeRefusal && error.isMissing && (await isMissedTooLong(parts, id))) {
      await act(parts, { kind: 'failed', topUpId: id, error: MISSING, byItself: false });
      return;
    }
    logger.warn({ top_up_id: id, reason: error.message }, 'the progress of a payment is unknown');
    return;
  }
  if (due.missing_since)
    await db.transaction(async (tx) => {
      const topUp = await lockTopUp(tx, id);
      if (topUp) await changeTopUp(tx, topUp, { missing_since: null });
    });
  switch (intent.status) {
    case 'succeeded': {
      const meaning = meaningOf({ type: 'payment_intent.succeeded', data: { object: intent } });
      if (meaning) await act(parts, meaning);
      return;
    }
    case 'canceled':
    case 'requires_payment_method':
      await act(parts, { kind: 'failed', topUpId: id, error: whyFailed(intent), byItself: false });
  }
}

/** Notes that Stripe does not know a payment. Returns whether that has been so for too long. */
function isMissedTooLong({ clock, db }: WebhookParts, id: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const topUp = await lockTopUp(tx, id);
    if (topUp?.status !== 'pending') return false;
    const now = clock.now();
    if (!topUp.missing_since) await changeTopUp(tx, topUp, { missing_since: now });
    return now.getTime() - (topUp.missing_since ?? now).getTime() >= MISSING_MS;
  });
}

function whyFailed({ last_payment_error: last }: Record<string, unknown>): string {
  return isObject(last) && typeof last.message === 'string' ? last.message : 'The payment failed.';
}
