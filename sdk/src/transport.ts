import { ERROR_CLASSES, type ErrorCode, type ErrorDetails } from './api.ts';
import { systemClock } from './clock.ts';
import { ApiError, ConnectionError, TimeoutError } from './errors.ts';
import type { Attempt, ClientClock, ClientOptions, PaidOptions, Reply } from './options.ts';
import { Pacer } from './pacer.ts';

export interface Call {
  operation: string;
  method: string;
  /** The path with its query. */
  target: string;
  /** Decides about retries if no reply was received: a `write` is never sent again. */
  kind: 'read' | 'list' | 'write' | 'paid' | 'stream';
  body?: unknown;
  options: PaidOptions & { isWaiter?: boolean };
  /** The wait requested from the service, in milliseconds. */
  waitMs?: number;
  /** The media type of a file to request instead of JSON; it is read as a whole. */
  accept?: string;
}

/** A successful reply, read as a whole unless it is a stream. */
export interface Answer {
  json: unknown;
  stream: ReadableStream<Uint8Array> | null;
  file?: Uint8Array;
}

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 20_000;
/** Added to `Retry-After`, so that the programs of an account do not all come back at the same moment. */
const MAX_JITTER_MS = 1_000;

/** Sends requests: paces and retries them, and turns error replies into exceptions. */
export class Transport {
  readonly #options: ClientOptions;
  readonly #base: string;
  readonly #pacer: Pacer;
  readonly clock: ClientClock;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#base = options.baseUrl.replace(/\/+$/, '');
    this.clock = options.clock ?? systemClock;
    this.#pacer = new Pacer(this.clock, options.requestsPerMinute ?? 120);
  }

  async send(call: Call): Promise<Answer> {
    const { signal, maxRetries = this.#options.maxRetries ?? 5, isWaiter = false } = call.options;
    // One key for all attempts: the operation is done once, whichever attempt reached the service.
    const key = call.kind === 'paid' ? (call.options.idempotencyKey ?? crypto.randomUUID()) : undefined;
    for (let number = 1; ; number += 1) {
      await this.#pacer.admit({ signal, isWaiter });
      const start = this.clock.now();
      const outcome = await this.#attempt(call, key);
      const { error } = outcome;
      const retryInMs =
        error && number <= maxRetries ? this.#retryIn(call, error, outcome.retryAfterMs, number) : undefined;
      this.#report({ ...outcome, call, number, durationMs: this.clock.now() - start, retryInMs });
      if (!error) return outcome.answer!;
      if (retryInMs === undefined || signal?.aborted) throw error;
      await this.clock.sleep(retryInMs, signal);
    }
  }

  /** Returns the milliseconds until the next attempt; undefined if there must be none. */
  #retryIn(
    { kind }: Call,
    error: unknown,
    retryAfterMs: number | undefined,
    number: number,
  ): number | undefined {
    if (!(error instanceof ApiError || error instanceof ConnectionError)) return undefined;
    const status = error instanceof ApiError ? error.status : 0;
    const wasRefused = status === 429;
    const isTwin = error instanceof ApiError && error.code === 'idempotency_in_progress';
    const mayRepeat = kind === 'paid' || kind === 'read' || kind === 'list';
    if (!wasRefused && !(mayRepeat && (status === 0 || status >= 500 || isTwin))) return undefined;
    const random = (this.#options.random ?? Math.random)();
    if (retryAfterMs !== undefined) return retryAfterMs + random * MAX_JITTER_MS;
    const most = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (number - 1));
    return most / 2 + (random * most) / 2;
  }

  async #attempt(
    call: Call,
    key: string | undefined,
  ): Promise<{
    answer?: Answer;
    error?: unknown;
    status?: number;
    requestId?: string;
    retryAfterMs?: number;
  }> {
    const { signal } = call.options;
    const ms = (call.options.timeoutMs ?? this.#options.timeoutMs ?? 60_000) + (call.waitMs ?? 0);
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), ms);
    try {
      const response: Reply = await (this.#options.fetch ?? fetch)(`${this.#base}${call.target}`, {
        method: call.method,
        headers: {
          authorization: `Bearer ${this.#options.apiKey}`,
          accept: call.accept ?? (call.kind === 'stream' ? 'text/event-stream' : 'application/json'),
          ...(call.body !== undefined && { 'content-type': 'application/json' }),
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
        signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
      });
      const { status } = response;
      const requestId = response.headers.get('x-request-id') ?? undefined;
      const facts = { status, ...(requestId !== undefined && { requestId }) };
      // A stream may last any time: the timeout only covers its start and ends below.
      if (status === 200 && call.kind === 'stream')
        return { ...facts, answer: { json: undefined, stream: response.body } };
      // Read the whole body before deciding anything: half a body is not a reply.
      if (status === 200 && call.accept) {
        const file = new Uint8Array(await response.arrayBuffer());
        return { ...facts, answer: { json: undefined, stream: null, file } };
      }
      const text = await response.text();
      if (status === 200) return { ...facts, answer: { json: JSON.parse(text), stream: null } };
      const error = errorOf(status, text, requestId);
      const retryAfterMs = this.#retryAfter(response, error);
      return { ...facts, error, ...(retryAfterMs !== undefined && { retryAfterMs }) };
    } catch (cause) {
      if (signal?.aborted) return { error: signal.reason };
      if (cause instanceof ApiError) return { error: cause };
      const place = `${call.method} ${call.target.split('?', 1)[0]}`;
      const error = timeout.signal.aborted
        ? new TimeoutError(`${place}: no answer within ${ms} ms`, { cause, idempotencyKey: key })
        : new ConnectionError(`${place}: the response was incomplete`, { cause, idempotencyKey: key });
      return { error };
    } finally {
      clearTimeout(timer);
    }
  }

  #retryAfter({ headers, status }: Reply, { details }: ApiError): number | undefined {
    const seconds = Number(headers.get('retry-after') ?? details.retry_after_seconds ?? Number.NaN);
    if (!Number.isFinite(seconds)) return undefined;
    if (status === 429) this.#pacer.pause(seconds * 1000);
    return seconds * 1000;
  }

  #report(outcome: {
    call: Call;
    number: number;
    durationMs: number;
    retryInMs: number | undefined;
    status?: number;
    requestId?: string;
    error?: unknown;
  }): void {
    const { call, retryInMs, number, durationMs, status, requestId, error } = outcome;
    const attempt: Attempt = {
      operation: call.operation,
      method: call.method,
      url: `${this.#base}${call.target}`,
      number,
      durationMs,
      ...(status !== undefined && { status }),
      ...(requestId !== undefined && { requestId }),
      ...(error !== undefined && { error }),
      ...(retryInMs !== undefined && { retryInMs }),
    };
    try {
      this.#options.onAttempt?.(attempt);
    } catch {
      // A failing log must not fail the request.
    }
  }
}

function errorOf(status: number, text: string, requestId: string | undefined): ApiError {
  const given = bodyOf(text);
  const code = given?.code ?? `http_${status}`;
  const facts = { status, code, details: given?.details ?? {}, requestId };
  const Class = isKnown(code) ? ERROR_CLASSES[code] : ApiError;
  return new Class(given?.message ?? `The service answered with status ${status}`, facts);
}

const isKnown = (code: string): code is ErrorCode => Object.hasOwn(ERROR_CLASSES, code);

/** Returns the service's error; undefined if something else replied, such as a proxy. */
function bodyOf(text: string): { code: string; message: string; details?: ErrorDetails } | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: { code: string; message: string } };
    return typeof error?.code === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}
