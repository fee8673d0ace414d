import { readBody } from '../../platform/peer/body.ts';
import { parseJson } from '../../platform/peer/json.ts';
import { ProviderUnavailableError } from '../provider.ts';

/** The version of Stripe's API that this code was written against; accounts have their own defaults. */
const STRIPE_VERSION = '2026-10-28.endive';
/** No customer waits longer than this for a page. */
const TIMEOUT_MS = 20_000;
/** Limit of a reply: sessions and intents have about ten thousand bytes. */
const MAX_REPLY_BYTES = 512 * 1024;
const PEER = 'Stripe';
/**
 * Concurrent requests. Stripe allows a hundred per second, and a burst of ours must not block requests of customers.
 */
const AT_ONCE = 8;
/** Most requests that may be queued. */
const MAX_WAITING = 64;

export interface StripeSettings {
  secretKey: string;
  baseUrl: string;
}

/** The form of a request; nested like Stripe's forms. */
export type Form = { [name: string]: string | number | boolean | undefined | Form | Form[] };

/** Stripe understood the request and refused it. */
export class StripeRefusal extends Error {
  override name = 'StripeRefusal';
  /** Such as `card_error` or `invalid_request_error`. */
  readonly type: string;
  readonly code: string;
  /** The payment intent that was refused, if any. */
  readonly intentId: string | null;
  /** The object does not exist, at least not for this key. */
  readonly isMissing: boolean;

  constructor(
    message: string,
    {
      type,
      code,
      intentId,
      isMissing,
    }: { type: string; code: string; intentId: string | null; isMissing: boolean },
  ) {
    super(message);
    this.type = type;
    this.code = code;
    this.intentId = intentId;
    this.isMissing = isMissing;
  }
}

/** The key has no permission for the request: the answer stays unknown, and retrying does not help. */
export class StripeForbidden extends ProviderUnavailableError {
  override name = 'StripeForbidden';
}

/** The part of Stripe's REST API that is needed. Replies are not validated: callers check the fields that they read. */
export class StripeApi {
  readonly #settings: StripeSettings;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(settings: StripeSettings) {
    this.#settings = settings;
  }

  /** Executed once per `idempotencyKey`, however often it is requested within a day. */
  post(path: string, form: Form, idempotencyKey: string): Promise<Record<string, unknown>> {
    return this.#inTurn(() => this.#send('POST', path, encodeForm(form), idempotencyKey));
  }

  get(path: string): Promise<Record<string, unknown>> {
    return this.#inTurn(() => this.#send('GET', path));
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= AT_ONCE) {
      if (this.#waiting.length >= MAX_WAITING) throw new ProviderUnavailableError('too many requests wait');
      // A finished call hands its slot to the next.
      await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    } else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }

  async #send(
    method: 'GET' | 'POST',
    path: string,
    body?: string,
    idempotencyKey?: string,
  ): Promise<Record<string, unknown>> {
    const { baseUrl, secretKey } = this.#settings;
    let status: number;
    let reply: unknown;
    try {
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: {
          authorization: `Bearer ${secretKey}`,
          'stripe-version': STRIPE_VERSION,
          ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        ...(body !== undefined && { body }),
      });
      status = response.status;
      reply = parseJson(await readBody(response.body ?? [], PEER, MAX_REPLY_BYTES), PEER);
    } catch (error) {
      throw new ProviderUnavailableError(`Stripe did not answer: ${describe(error)}`);
    }
    if (status >= 200 && status < 300 && isObject(reply)) return reply;
    throw refusalOf(status, reply);
  }
}

function describe(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

/** Returns a refusal if Stripe has decided; otherwise the outcome is unknown, as with 409, 429 and 5xx. */
function refusalOf(status: number, reply: unknown): Error {
  const error = isObject(reply) && isObject(reply.error) ? reply.error : {};
  const message = typeof error.message === 'string' ? error.message : `status ${status}`;
  if (status === 403) return new StripeForbidden(`Stripe: ${message}`);
  // 401 means that our key is wrong, which says nothing about the payment.
  if (status !== 400 && status !== 402 && status !== 404)
    return new ProviderUnavailableError(`Stripe: ${message}`);
  const intent = isObject(error.payment_intent) ? error.payment_intent.id : null;
  return new StripeRefusal(message, {
    type: String(error.type ?? ''),
    code: String(error.decline_code ?? error.code ?? ''),
    intentId: typeof intent === 'string' ? intent : null,
    isMissing: status === 404,
  });
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Encodes `{ a: { b: 1 }, c: [{ d: 2 }] }` as `a[b]=1&c[0][d]=2`. */
export function encodeForm(form: Form): string {
  const pairs: [string, string][] = [];
  const walk = (value: Form[string], name: string) => {
    if (value === undefined) return;
    if (Array.isArray(value)) value.forEach((entry, index) => void walk(entry, `${name}[${index}]`));
    else if (typeof value === 'object')
      for (const [key, entry] of Object.entries(value)) walk(entry, `${name}[${key}]`);
    else pairs.push([name, String(value)]);
  };
  for (const [name, value] of Object.entries(form)) walk(value, name);
  return new URLSearchParams(pairs).toString();
}
