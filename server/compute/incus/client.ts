import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import WebSocket, { type ClientOptions } from 'ws';
import type { Clock } from '../../platform/clock.ts';
import { readBody } from '../../platform/peer/body.ts';
import { readJsonRows } from '../../platform/peer/json-rows.ts';
import { ComputeUnavailableError } from '../driver.ts';

/** The service's identity towards the cluster, and how it verifies the cluster. All in PEM. */
export interface Identity {
  certificate: string;
  key: string;
  /** The only cluster certificate to accept. If absent, those that the system trusts are accepted. */
  serverCertificate?: string;
}

/** Incus answered with a refusal. */
export class IncusError extends Error {
  override name = 'IncusError';
  /** Status code, with the same meaning as in HTTP. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Incus did not answer: the request may have been carried out, or may still be. */
export class UnansweredError extends ComputeUnavailableError {
  override name = 'UnansweredError';
}

export interface Answer {
  type: 'sync' | 'async';
  // biome-ignore lint/suspicious/noExplicitAny: each path has a shape of its own, which the caller names.
  metadata: any;
}

export interface AskOptions {
  /** Maximum wait for the answer, in milliseconds. */
  limitMs?: number;
  signal?: AbortSignal;
}

/**
 * A member that does not answer within this time is considered down. Incus itself gives up on another member after 10
 * s.
 */
const ANSWER_MS = 15_000;
/** Limits of one answer. Ten thousand instances with their state use half of the bytes: about 12 kB and 300 values each. */
const ANSWER_BOUNDS = {
  maxBytes: 256 * 1024 * 1024,
  maxRows: 20_000,
  maxValues: 10_000_000,
  row: { maxBytes: 1024 * 1024, maxValues: 20_000 },
};
/** The longest text is a console log, of which Incus keeps 128 kB. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
/** Limit of one WebSocket message, unless the reader passes another. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Concurrent requests to one member; further ones wait. */
const MAX_SOCKETS = 32;

/** The answer if our certificate was removed from the cluster's trust store. It may be added again. */
const FORBIDDEN = 403;
/** The answer of a member that is starting up or shutting down… */
const NOT_READY = 503;
/** …and the error text of one that passes on such a member's answer, or currently cannot reach the cluster's database. */
const AWAY = /^Server isn't ready yet|no available cowsql leader/;

/** One member of the cluster, reached over HTTPS with a client certificate. */
export class IncusClient {
  readonly url: string;
  readonly #clock: Clock;
  readonly #tls: { cert: string; key: string; ca?: string; checkServerIdentity?: () => undefined };
  readonly #agent: Agent;

  constructor(url: string, identity: Identity, clock: Clock) {
    this.url = url;
    this.#clock = clock;
    const { certificate: cert, key, serverCertificate: ca } = identity;
    // A pinned certificate is proof enough: the names in it are those of the first member, so they are not checked.
    this.#tls = { cert, key, ...(ca && { ca, checkServerIdentity: () => undefined }) };
    this.#agent = new Agent({ ...this.#tls, keepAlive: true, maxSockets: MAX_SOCKETS });
  }

  /**
   * Sends a request. Throws {@link IncusError} for a refusal, {@link UnansweredError} if there is no answer,
   * {@link ComputeUnavailableError} if the cluster does not trust the service, and the signal's reason.
   */
  async ask(method: string, path: string, body?: unknown, options: AskOptions = {}): Promise<Answer> {
    const read = (response: IncomingMessage) => readJsonRows(response, 'metadata', this.url, ANSWER_BOUNDS);
    const answer = (await this.#askFor(read, method, path, body, options)) as Answer | Refusal;
    if (answer.type === 'error') throw this.#refusalOf(method, path, answer);
    return answer;
  }

  /** Same as `ask`, for answers that are not JSON. */
  async text(method: string, path: string, body?: unknown, options: AskOptions = {}): Promise<string> {
    const read = (response: IncomingMessage) => readBody(response, this.url, MAX_TEXT_BYTES);
    return (await this.#askFor(read, method, path, body, options)).toString('utf8');
  }

  async #askFor<T>(
    read: Read<T>,
    method: string,
    path: string,
    body: unknown,
    options: AskOptions,
  ): Promise<T> {
    const { limitMs = ANSWER_MS, signal } = options;
    signal?.throwIfAborted();
    const over = new AbortController();
    const done = new AbortController();
    this.#clock.sleep(limitMs, done.signal).then(
      () => over.abort(new Error(`no answer within ${limitMs / 1000} s`)),
      () => {},
    );
    try {
      const ends = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
      const sent = body === undefined ? '' : JSON.stringify(body);
      return await this.#exchange(read, method, path, sent, ends);
    } catch (error) {
      signal?.throwIfAborted();
      const reason = over.signal.aborted ? over.signal.reason : error;
      throw new UnansweredError(`${this.url} ${method} ${path.split('?')[0]}: ${reason.message}`, {
        cause: error,
      });
    } finally {
      done.abort();
    }
  }

  /** Opens a WebSocket of the API. Its errors only close the socket itself. */
  socket(path: string, maxPayload = MAX_MESSAGE_BYTES): WebSocket {
    const socket = new WebSocket(this.url.replace(/^http/, 'ws') + path, [], {
      ...(this.#tls as ClientOptions),
      handshakeTimeout: ANSWER_MS,
      maxPayload,
    });
    return socket.on('error', () => {});
  }

  close(): void {
    this.#agent.destroy();
  }

  #refusalOf(method: string, path: string, { error_code: code, error }: Refusal): Error {
    const facts = `${this.url} ${method} ${path.split('?')[0]}: ${error}`;
    if (code === FORBIDDEN) return new ComputeUnavailableError(`the certificate is not trusted: ${facts}`);
    const isAway = code === NOT_READY || AWAY.test(error);
    return isAway ? new UnansweredError(facts) : new IncusError(code, error);
  }

  #exchange<T>(read: Read<T>, method: string, path: string, body: string, signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const headers = body
        ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
        : {};
      const asked = request(this.url + path, { method, agent: this.#agent, headers, signal }, (response) => {
        // An error on the response, even after it was read or abandoned, must not affect anything else.
        response.on('error', reject);
        read(response).then(resolve, (error) => {
          reject(error);
          asked.destroy();
        });
      });
      asked.on('error', reject);
      asked.end(body);
    });
  }
}

type Read<T> = (response: IncomingMessage) => Promise<T>;

type Refusal = { type: 'error'; error_code: number; error: string };
