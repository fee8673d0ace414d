import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Stripe from 'stripe';
import { defer, type Lifetime } from '../../support/cleanup.ts';

export const STRIPE_KEY = 'sk_test_local';
export const WEBHOOK_SECRET = 'whsec_local';

// biome-ignore lint/suspicious/noExplicitAny: tests look into objects of every shape
export type Thing = Record<string, any>;

/** Faults that the server can inject into the next request. */
export type Mishap =
  /** Executes the request, then loses the connection before replying. */
  | 'silence'
  /** Does nothing and replies with an error. */
  | 'unavailable';

/** Stripe's message about a restricted key. */
const FORBIDDEN = 'The provided key does not have the required permissions for this endpoint.';

/**
 * A local server with the part of Stripe's API that Vauban uses, including its rules about idempotency keys and
 * repeated requests.
 */
export interface StripeDouble {
  url: string;
  sessions: Map<string, Thing>;
  intents: Map<string, Thing>;
  refunds: Map<string, Thing>;
  disputes: Map<string, Thing>;
  /** The server's clock, in seconds. */
  now: number;
  /** Requests, such as "POST /v1/refunds". */
  requests: string[];
  mishaps: Mishap[];
  /** Methods that are declined. */
  declined: Set<string>;
  /** Methods whose payments take days. */
  slow: Set<string>;
  /** Paths that the key has no permission for, such as "/v1/disputes". */
  forbidden: Set<string>;
  /** The status that new refunds get. */
  refundStatus: 'succeeded' | 'pending' | 'failed';
  /** The customer pays on the page of a session; returns the resulting events. */
  pay(sessionId: string): Thing[];
  event(type: string, object: Thing): Thing;
}

const id = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`;

/** The header that Stripe's own library computes for a body. */
export function signatureOf(payload: string, at: Date, secret = WEBHOOK_SECRET): string {
  const timestamp = Math.floor(at.getTime() / 1000);
  return Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
}

/** Starts it on a free local port. */
export async function startStripe(t: Lifetime): Promise<StripeDouble> {
  const stripe: StripeDouble = {
    url: '',
    sessions: new Map(),
    intents: new Map(),
    refunds: new Map(),
    disputes: new Map(),
    now: 0,
    requests: [],
    mishaps: [],
    declined: new Set(),
    slow: new Set(),
    forbidden: new Set(),
    refundStatus: 'succeeded',
    pay: (sessionId) => pay(stripe, sessionId),
    event: (type, object) => ({ id: id('evt'), object: 'event', type, data: { object } }),
  };
  const done = new Map<string, { params: string; status: number; reply: Thing }>();
  const server = createServer((request, response) => {
    answer(stripe, done, request, response).catch((error) => response.destroy(error));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  defer(t, async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  stripe.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return stripe;
}

async function answer(
  stripe: StripeDouble,
  done: Map<string, { params: string; status: number; reply: Thing }>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const params = await text(request);
  const path = request.url!.split('?')[0]!;
  stripe.requests.push(`${request.method} ${path}`);
  const send = (status: number, reply: Thing) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
  };
  if (request.headers.authorization !== `Bearer ${STRIPE_KEY}`)
    return send(401, refusal('invalid_request_error', 'Invalid API Key provided'));
  if (request.method === 'GET' && stripe.forbidden.has(path))
    return send(403, refusal('invalid_request_error', FORBIDDEN));
  const mishap = stripe.mishaps.shift();
  if (mishap === 'unavailable') return send(503, refusal('api_error', 'Try again'));
  const key = request.headers['idempotency-key'] as string | undefined;
  const before = key === undefined ? undefined : done.get(key);
  if (before && before.params !== params)
    return send(
      400,
      refusal('idempotency_error', 'Keys for idempotent requests can only be used with the same parameters'),
    );
  const { status, reply } =
    before ??
    listed(stripe, request.method!, request.url!) ??
    handle(stripe, `${request.method} ${path}`, new URLSearchParams(params));
  if (key !== undefined) done.set(key, { params, status, reply });
  if (mishap === 'silence') response.destroy();
  else send(status, reply);
}

const refusal = (type: string, message: string, more: Thing = {}) => ({ error: { type, message, ...more } });

function handle(
  stripe: StripeDouble,
  request: string,
  params: URLSearchParams,
): { status: number; reply: Thing } {
  const keep = (map: Map<string, Thing>, thing: Thing) => {
    map.set(thing.id, thing);
    return { status: 200, reply: thing };
  };
  const metadata = metadataOf(params, 'metadata');
  switch (request) {
    case 'POST /v1/checkout/sessions': {
      const session = id('cs_test');
      return keep(stripe.sessions, {
        id: session,
        object: 'checkout.session',
        url: `${stripe.url}/pay/${session}`,
        status: 'open',
        payment_status: 'unpaid',
        payment_intent: null,
        amount_total: Number(params.get('line_items[0][price_data][unit_amount]')),
        currency: params.get('line_items[0][price_data][currency]'),
        client_reference_id: params.get('client_reference_id'),
        customer: params.get('customer') ?? (params.get('customer_creation') === 'always' ? id('cus') : null),
        metadata,
        intent_metadata: metadataOf(params, 'payment_intent_data[metadata]'),
        setup_future_usage: params.get('payment_intent_data[setup_future_usage]'),
        success_url: params.get('success_url'),
      });
    }
    case 'POST /v1/payment_intents': {
      const intent = newIntent(stripe, {
        amount: Number(params.get('amount')),
        currency: params.get('currency'),
        customer: params.get('customer'),
        payment_method: params.get('payment_method'),
        metadata,
      });
      if (stripe.declined.has(intent.payment_method)) {
        const failed: Thing = { ...intent, status: 'requires_payment_method', amount_received: 0 };
        stripe.intents.set(failed.id, failed);
        const more = { code: 'card_declined', payment_intent: failed };
        return { status: 402, reply: refusal('card_error', 'Your card was declined.', more) };
      }
      if (stripe.slow.has(intent.payment_method))
        Object.assign(intent, { status: 'processing', amount_received: 0 });
      return keep(stripe.intents, intent);
    }
    case 'POST /v1/refunds':
      return keep(stripe.refunds, {
        id: id('re'),
        object: 'refund',
        created: stripe.now,
        currency: stripe.intents.get(params.get('payment_intent') ?? '')?.currency,
        status: stripe.refundStatus,
        failure_reason: stripe.refundStatus === 'failed' ? 'expired_or_canceled_card' : undefined,
        amount: Number(params.get('amount')),
        payment_intent: params.get('payment_intent'),
        metadata,
      });
    default: {
      const [, session = '', end] = /^\w+ \/v1\/checkout\/sessions\/(\w+)(\/expire)?$/.exec(request) ?? [];
      const found = stripe.sessions.get(session);
      if (found && end && found.status !== 'open')
        return { status: 400, reply: refusal('invalid_request_error', 'Only open sessions can be expired.') };
      if (found) return { status: 200, reply: Object.assign(found, end && { status: 'expired' }) };
      const [, detached] = /^POST \/v1\/payment_methods\/(\w+)\/detach$/.exec(request) ?? [];
      if (detached !== undefined) return { status: 200, reply: { id: detached, customer: null } };
      const [, taken = ''] = /^GET \/v1\/(?:disputes|refunds)\/(\w+)$/.exec(request) ?? [];
      const reversal = stripe.disputes.get(taken) ?? stripe.refunds.get(taken);
      if (reversal) return { status: 200, reply: reversal };
      const intent = stripe.intents.get(/^GET \/v1\/payment_intents\/(\w+)$/.exec(request)?.[1] ?? '');
      if (!intent) return { status: 404, reply: refusal('invalid_request_error', 'No such thing') };
      const card = { brand: 'visa', last4: '4242', exp_month: 4, exp_year: 2030 };
      const method = { id: intent.payment_method, object: 'payment_method', type: 'card', card };
      return { status: 200, reply: { ...intent, payment_method: method } };
    }
  }
}

/** A page of a list, newest first, like Stripe's. */
function listed(
  stripe: StripeDouble,
  method: string,
  url: string,
): { status: number; reply: Thing } | undefined {
  const { pathname, searchParams } = new URL(url, 'http://stripe');
  const lists: Record<string, Map<string, Thing>> = {
    '/v1/payment_intents': stripe.intents,
    '/v1/refunds': stripe.refunds,
    '/v1/disputes': stripe.disputes,
  };
  const things = lists[pathname];
  if (method !== 'GET' || !things) return undefined;
  const since = Number(searchParams.get('created[gte]') ?? 0);
  const of = searchParams.get('payment_intent');
  const all = [...things.values()]
    .reverse()
    .filter(({ created, payment_intent }) => created >= since && (of === null || payment_intent === of));
  const after = searchParams.get('starting_after');
  const from = after === null ? 0 : all.findIndex(({ id: one }) => one === after) + 1;
  const limit = Number(searchParams.get('limit') ?? 10);
  const data = all.slice(from, from + limit);
  return { status: 200, reply: { object: 'list', data, has_more: from + limit < all.length } };
}

function metadataOf(params: URLSearchParams, name: string): Thing {
  const entries = [...params].filter(([key]) => key.startsWith(`${name}[`));
  return Object.fromEntries(entries.map(([key, value]) => [key.slice(name.length + 1, -1), value]));
}

const newIntent = (stripe: StripeDouble, intent: Thing): Thing => ({
  id: id('pi'),
  created: stripe.now,
  object: 'payment_intent',
  status: 'succeeded',
  amount_received: intent.amount,
  setup_future_usage: null,
  ...intent,
});

function pay(stripe: StripeDouble, sessionId: string): Thing[] {
  const session = stripe.sessions.get(sessionId)!;
  const intent = newIntent(stripe, {
    amount: session.amount_total,
    currency: session.currency,
    customer: session.customer,
    payment_method: id('pm'),
    metadata: session.intent_metadata,
    setup_future_usage: session.setup_future_usage,
  });
  stripe.intents.set(intent.id, intent);
  Object.assign(session, { status: 'complete', payment_status: 'paid', payment_intent: intent.id });
  return [
    stripe.event('payment_intent.succeeded', intent),
    stripe.event('checkout.session.completed', session),
  ];
}
