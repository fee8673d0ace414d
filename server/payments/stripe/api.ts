import { readBody } from '../../platform/peer/body.ts';
import { parseJson } from '../../platform/peer/json.ts';
import { ProviderUnavailableError } from '../provider.ts';

/** The version of Stripe's API that this code was written against; accounts have defaults of their own. */
const STRIPE_VERSION = '2026-10-28.endive';
/** Beyond it no customer waits for a page. */
const TIMEOUT_MS = 20_000;
/** Of a reply: sessions and intents have some ten thousand. */
const MAX_REPLY_BYTES = 512 * 1024;
const PEER = 'Stripe';
/** Requests at once: Stripe allows a hundred a second, and a flood of ours must not take its customers' turn. */
const AT_ONCE = 8;
/** Requests that wait for their turn. */
const MAX_WAITING = 64;

/** How Stripe is reached. */
export interface StripeSettings {
  secretKey: string;
  baseUrl: string;
}

/** A value of a request; nested as Stripe's forms are. */
export type Form = { [name: string]: string | number | boolean | undefined | Form | Form[] };

/** Stripe understood, and will not do it. */
export class StripeRefusal extends Error {
  override name = 'StripeRefusal';
  /** Such as `card_error` or `invalid_request_error`. */
  readonly type: string;
  readonly code: string;
  /** The object that the refusal is about. */
  readonly intentId: string | null;
  /** There is no such thing, at least not for this key. */
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

/** The key has no right to what was asked for: nothing is known about that, and asking again does not help. */
export class StripeForbidden extends ProviderUnavailableError {
  override name = 'StripeForbidden';
}

/** Stripe's REST API, as far as it is needed. Replies are as they come: who reads them looks at what is there. */
export class StripeApi {
  readonly #settings: StripeSettings;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(settings: StripeSettings) {
    this.#settings = settings;
  }

  /** Done once for each `idempotencyKey`, however often it is asked for within a day. */
  post(path: string, form: Form, idempotencyKey: string): Promise<Record<string, unknown>> {
    return this.#inTurn(() => this.#send('POST', path, encodeForm(form), idempotencyKey));
  }

  get(path: string): Promise<Record<string, unknown>> {
    return this.#inTurn(() => this.#send('GET', path));
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= AT_ONCE) {
      if (this.#waiting.length >= MAX_WAITING) throw new ProviderUnavailableError('too many requests wait');
      // A call that is done hands the turn on.
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

/** A refusal where Stripe has decided; else it is unknown, as with 409, 429 and 5xx. */
function refusalOf(status: number, reply: unknown): Error {
  const error = isObject(reply) && isObject(reply.error) ? reply.error : {};
  const message = typeof error.message === 'string' ? error.message : `status ${status}`;
  if (status === 403) return new StripeForbidden(`Stripe: ${message}`);
  // 401: our key is wrong, which says nothing about the payment.
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

/** Whether `value` has members. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `{ a: { b: 1 }, c: [{ d: 2 }] }` is `a[b]=1&c[0][d]=2`. */
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
