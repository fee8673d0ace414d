import { findTopUpOfProvider } from '../../db/queries/money/top-ups.ts';
import { ApiError } from '../../platform/errors.ts';
import { isObject, type StripeApi } from './api.ts';
import { type Meaning, meaningOf } from './events.ts';
import { act, type WebhookParts } from './webhook.ts';

/** Page size of Stripe's lists: an intent has about three thousand bytes. */
const PAGE = 50;
/** Most pages of a list: a hoster with more payments per day has other means. */
const MOST_PAGES = 2_000;
/** SQLSTATE class of constraint violations, which fail however often they are tried. */
const CONSTRAINT = '23';
/** The time after a payment in which its dispute may change: card schemes decide within a few months. */
const DISPUTES_MS = 120 * 86_400_000;

/**
 * Compares Stripe's payments, refunds and disputes since `since` with the books. Books whatever an event would have
 * booked; a payment whose top-up is missing from the books is noted for an operator. Throws `ProviderUnavailableError`,
 * and also if `signal` aborts; starting again has the same result.
 */
export async function compareWithStripe(
  parts: WebhookParts,
  since: Date,
  signal: AbortSignal,
): Promise<void> {
  const { api, db, logger } = parts;
  let strange = 0;
  for await (const intent of list(api, '/v1/payment_intents', createdSince(since), signal)) {
    const meaning = madeOf(intent);
    if (meaning?.kind === 'uncounted' || meaning?.kind === 'processing') await attempt(parts, meaning);
    if (meaning?.kind !== 'paid') continue;
    const known = await findTopUpOfProvider(db, 'stripe', meaning.intentId);
    if (known?.status === 'succeeded') continue;
    if ((await attempt(parts, meaning)) === false) strange++;
  }
  if (strange > 0)
    logger.warn(
      { payments: strange, since },
      'Stripe has payments for top-ups that are not in the books: from another installation, or from before this release',
    );
  for await (const refund of list(api, '/v1/refunds', createdSince(since), signal))
    await actOn(parts, 'refund.updated', refund);
  const disputedSince = createdSince(new Date(since.getTime() - DISPUTES_MS));
  for await (const dispute of list(api, '/v1/disputes', disputedSince, signal))
    await actOn(parts, 'charge.dispute.updated', dispute);
}

/**
 * Returns the refunds and disputes of a payment, with their event types: the caller books them once the payment is in
 * the books.
 */
export async function reversalsOf(
  api: StripeApi,
  intentId: string,
): Promise<[type: string, thing: unknown][]> {
  const of = `payment_intent=${encodeURIComponent(intentId)}`;
  const { signal } = new AbortController();
  const found: [string, unknown][] = [];
  for await (const refund of list(api, '/v1/refunds', of, signal)) found.push(['refund.updated', refund]);
  for await (const dispute of list(api, '/v1/disputes', of, signal))
    found.push(['charge.dispute.updated', dispute]);
  return found;
}

/** Does what an event of this type about `object` would have done. */
export async function actOn(parts: WebhookParts, type: string, object: unknown): Promise<void> {
  const meaning = meaningOf({ type, data: { object } });
  if (meaning) await attempt(parts, meaning);
}

/**
 * Acts on one object. One that can never be booked must not block the rest; any other error, such as a lost connection,
 * ends the comparison, which is then started again.
 */
async function attempt(parts: WebhookParts, meaning: Meaning): Promise<boolean | undefined> {
  try {
    return await act(parts, meaning);
  } catch (error) {
    if (!(error instanceof ApiError) && !(error as { code?: string }).code?.startsWith(CONSTRAINT))
      throw error;
    parts.logger.error(
      { err: error, kind: meaning.kind },
      'a transaction at Stripe is not booked: check Stripe',
    );
    return undefined;
  }
}

/** Returns the meaning of a payment that is paid or being processed; undefined for any other. */
function madeOf(intent: unknown): Meaning | undefined {
  const status = isObject(intent) ? intent.status : undefined;
  return status === 'succeeded' || status === 'processing'
    ? meaningOf({ type: `payment_intent.${status}`, data: { object: intent } })
    : undefined;
}

const createdSince = (since: Date) => `created%5Bgte%5D=${Math.floor(since.getTime() / 1000)}`;

/** Yields the objects of a list, newest first, page by page. */
async function* list(
  api: StripeApi,
  path: string,
  query: string,
  signal: AbortSignal,
): AsyncGenerator<unknown> {
  let after = '';
  for (let page = 0; page < MOST_PAGES; page++) {
    signal.throwIfAborted();
    const { data, has_more } = await api.get(`${path}?limit=${PAGE}&${query}${after}`);
    if (!Array.isArray(data)) throw new Error(`Stripe's list of ${path} has no data`);
    yield* data;
    const last: unknown = data.at(-1);
    if (has_more !== true || !isObject(last) || typeof last.id !== 'string') return;
    after = `&starting_after=${encodeURIComponent(last.id)}`;
  }
  throw new Error(`Stripe's list of ${path} does not end`);
}
