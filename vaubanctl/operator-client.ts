import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Refusal } from './api.ts';
import { Failure } from './failure.ts';

/** The service answers within milliseconds; one that does not by then is stuck. */
const TIMEOUT_MS = 30_000;
/** For what copies and checks large files. */
export const LONG_TIMEOUT_MS = 3_600_000;

interface ListReply<T> {
  data: T[];
  pagination: { next_cursor: string | null };
}

/** Speaks to the service over its Unix socket. Whatever goes wrong is a {@link Failure}. */
export class OperatorClient {
  readonly #socketPath: string;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** Where the socket is: the service can read what lies there, whatever of the machine it does not see. */
  get place(): string {
    return dirname(this.#socketPath);
  }

  async get<T>(path: string): Promise<T> {
    return ((await this.#call('GET', path)) as { data: T }).data;
  }

  async post<T>(path: string, body: object = {}, timeoutMs = TIMEOUT_MS): Promise<T> {
    return ((await this.#call('POST', path, body, timeoutMs)) as { data: T }).data;
  }

  /** All pages of a list, or the first `count` items, newest first; `filter` as query parameters. */
  async list<T>(
    path: string,
    filter: [string, string][] = [],
    count = Number.POSITIVE_INFINITY,
  ): Promise<T[]> {
    const items: T[] = [];
    let cursor: string | null = null;
    do {
      const position: [string, string][] = cursor === null ? [] : [['cursor', cursor]];
      const query = new URLSearchParams([['limit', '100'], ...filter, ...position]);
      const reply = (await this.#call('GET', `${path}?${query}`)) as ListReply<T>;
      items.push(...reply.data);
      cursor = reply.pagination.next_cursor;
    } while (cursor !== null && items.length < count);
    return items.slice(0, count);
  }

  /** A file, as it arrives. One that is cut off is a {@link Failure}, after what came of it. */
  async *download(path: string, query: Record<string, string | undefined>): AsyncGenerator<Buffer> {
    const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
    try {
      const response = await this.#send('GET', `${path}?${new URLSearchParams(given)}`, LONG_TIMEOUT_MS);
      if (response.statusCode !== 200)
        throw new Failure(explain(JSON.parse(await text(response)) as Refusal, path), 1);
      yield* response;
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw new Failure([this.#unreachable(error as NodeJS.ErrnoException)], 2);
    }
  }

  async #call(method: string, path: string, body?: object, timeoutMs = TIMEOUT_MS): Promise<unknown> {
    const { status, reply } = await this.#exchange(method, path, timeoutMs, body);
    if (status === 200) return reply;
    throw new Failure(explain(reply as Refusal, path), 1);
  }

  async #exchange(
    method: string,
    path: string,
    timeoutMs: number,
    body?: object,
  ): Promise<{ status: number; reply: unknown }> {
    try {
      const response = await this.#send(method, path, timeoutMs, body);
      return { status: response.statusCode!, reply: JSON.parse(await text(response)) };
    } catch (error) {
      throw new Failure([this.#unreachable(error as NodeJS.ErrnoException)], 2);
    }
  }

  async #send(method: string, path: string, timeoutMs: number, body?: object): Promise<IncomingMessage> {
    const outgoing = request({
      socketPath: this.#socketPath,
      method,
      path,
      headers: body ? { 'content-type': 'application/json' } : {},
      signal: AbortSignal.timeout(timeoutMs),
    });
    outgoing.end(body && JSON.stringify(body));
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return response;
  }

  #unreachable(error: NodeJS.ErrnoException): string {
    const socket = this.#socketPath;
    switch (error.code) {
      case 'ENOENT':
      case 'ECONNREFUSED':
        return `no service listens on ${socket}; is it running, and is this its data directory (--data-dir)?`;
      case 'EACCES':
        return `may not open ${socket}; run this as the user that runs the service`;
      case 'ABORT_ERR':
        return `the service on ${socket} does not answer`;
      default:
        return `cannot speak to the service on ${socket}: ${error.message}`;
    }
  }
}

/** A refusal for people: each wrong field, else the message with what belongs to it. */
function explain({ error: { code, message, details = {} } }: Refusal, path: string): string[] {
  const { fields, ...rest } = details;
  if (fields) return fields.map((problem) => `${problem.field}: ${problem.message}`);
  if (code === 'not_found') return [`${message} (${path})`];
  const facts = Object.entries(rest).map(([name, value]) => `${name}: ${value}`);
  return [facts.length > 0 ? `${message} (${facts.join(', ')})` : message];
}
