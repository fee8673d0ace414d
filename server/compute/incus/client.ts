import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import WebSocket, { type ClientOptions } from 'ws';
import type { Clock } from '../../platform/clock.ts';
import { readBody } from '../../platform/peer/body.ts';
import { readJsonRows } from '../../platform/peer/json-rows.ts';
import { ComputeUnavailableError } from '../driver.ts';

/** Who the service is to the cluster, and by what the cluster is known. PEM. */
export interface Identity {
  certificate: string;
  key: string;
  /** Of the cluster: the only one that is believed. Absent: those that the system believes. */
  serverCertificate?: string;
}

/** The engine answered, and refused. */
export class IncusError extends Error {
  override name = 'IncusError';
  /** As HTTP has it. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The engine did not answer: what was asked for may have been done, or may be still. */
export class UnansweredError extends ComputeUnavailableError {
  override name = 'UnansweredError';
}

export interface Answer {
  type: 'sync' | 'async';
  // biome-ignore lint/suspicious/noExplicitAny: each path has a shape of its own, which the caller names.
  metadata: any;
}

export interface AskOptions {
  /** How long an answer is waited for, in milliseconds. */
  limitMs?: number;
  signal?: AbortSignal;
}

/** A member that does not answer for so long is taken for gone. Incus itself gives up on another member after 10 s. */
const ANSWER_MS = 15_000;
/** Of one answer. Ten thousand instances with their state are half of the bytes; each of them is some 12 kB with 300 values. */
const ANSWER_BOUNDS = {
  maxBytes: 256 * 1024 * 1024,
  maxRows: 20_000,
  maxValues: 10_000_000,
  row: { maxBytes: 1024 * 1024, maxValues: 20_000 },
};
/** The log of a console is the longest text: 128 kB, as Incus keeps it. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
/** Of one message of a WebSocket, unless its reader says otherwise. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Requests at once to one member; further ones wait. */
const MAX_SOCKETS = 32;

/** To one whose certificate was taken out of the cluster's trust, which may be put back. */
const FORBIDDEN = 403;
/** From a member that is starting or ending… */
const NOT_READY = 503;
/** …and from one that passes on what such a member says, or has no part in the cluster's database now. */
const AWAY = /^Server isn't ready yet|no available cowsql leader/;

/** One member of the cluster, over HTTPS with a client certificate. */
export class IncusClient {
  readonly url: string;
  readonly #clock: Clock;
  readonly #tls: { cert: string; key: string; ca?: string; checkServerIdentity?: () => undefined };
  readonly #agent: Agent;

  constructor(url: string, identity: Identity, clock: Clock) {
    this.url = url;
    this.#clock = clock;
    const { certificate: cert, key, serverCertificate: ca } = identity;
    // A certificate that is pinned says who it is by itself: the names in it are those of the first member.
    this.#tls = { cert, key, ...(ca && { ca, checkServerIdentity: () => undefined }) };
    this.#agent = new Agent({ ...this.#tls, keepAlive: true, maxSockets: MAX_SOCKETS });
  }

  /**
   * Throws {@link IncusError} for a refusal, {@link UnansweredError} where there is no answer,
   * {@link ComputeUnavailableError} where the service is not trusted, and the signal's reason.
   */
  async ask(method: string, path: string, body?: unknown, options: AskOptions = {}): Promise<Answer> {
    const read = (response: IncomingMessage) => readJsonRows(response, 'metadata', this.url, ANSWER_BOUNDS);
    const answer = (await this.#askFor(read, method, path, body, options)) as Answer | Refusal;
    if (answer.type === 'error') throw this.#refusalOf(method, path, answer);
    return answer;
  }

  /** The same for what is not JSON. */
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
      () => over.abort(new Error(`no answer in ${limitMs / 1000} s`)),
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

  /** A WebSocket of the API, whose errors end nothing but itself. */
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
        // Its errors, also after it was read or given up, end nothing but itself.
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

/** Reads an answer. */
type Read<T> = (response: IncomingMessage) => Promise<T>;

type Refusal = { type: 'error'; error_code: number; error: string };
