import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { Failure } from './failure.ts';
import type { Files, Lists, Reads, Error as Refusal, Writes } from './operator-api.ts';

/** The service replies within milliseconds; after this long it is stuck. */
const TIMEOUT_MS = 30_000;
/** For operations that copy and check large files. */
export const LONG_TIMEOUT_MS = 3_600_000;

interface ListReply<T> {
  data: T[];
  pagination: { next_cursor: string | null };
}

type Variable<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Variable<Rest> : never;
/** A property that is optional if all of its own properties are. */
type Member<Name extends string, T> = Partial<T> extends T ? { [K in Name]?: T } : { [K in Name]: T };
type Given<Path, Operation> = ([Variable<Path>] extends [never]
  ? unknown
  : { params: Record<Variable<Path>, string> }) &
  (Operation extends { query: infer Query } ? Member<'query', Query> : unknown) &
  (Operation extends { body: infer Body } ? Member<'body', Body> : unknown);
/** The input as a list of arguments, empty if nothing is required. */
type Arguments<G> = Partial<G> extends G ? [given?: G] : [given: G];

interface AnyGiven {
  params?: Record<string, string>;
  query?: Record<string, string | number | undefined>;
  body?: object;
  /** The time limit for the reply. */
  timeoutMs?: number;
  /** For lists: the number of items to return. */
  count?: number;
}

/** Talks to the service over its Unix socket. Every error is a {@link Failure}. */
export class OperatorClient {
  readonly #socketPath: string;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /**
   * The directory of the socket. The service can read files there even if it cannot see the rest of the file system.
   */
  get place(): string {
    return dirname(this.#socketPath);
  }

  async get<P extends keyof Reads>(
    path: P,
    ...[given]: Arguments<Given<P, Reads[P]>>
  ): Promise<Reads[P]['data']> {
    const reply = (await this.#call('GET', addressOf(path, given as AnyGiven))) as Reads[P];
    return reply.data;
  }

  async post<P extends keyof Writes>(
    path: P,
    ...[given]: Arguments<Given<P, Writes[P]> & { timeoutMs?: number }>
  ): Promise<Writes[P]['data']> {
    const { body = {}, timeoutMs, ...rest } = (given ?? {}) as AnyGiven;
    const reply = (await this.#call('POST', addressOf(path, rest), body, timeoutMs)) as Writes[P];
    return reply.data;
  }

  /** Returns all pages of a list, or the first `count` items, newest first. */
  async list<P extends keyof Lists>(
    path: P,
    ...[given]: Arguments<Given<P, Lists[P]> & { count?: number }>
  ): Promise<Lists[P]['item'][]> {
    const { params, query, count = Number.POSITIVE_INFINITY } = (given ?? {}) as AnyGiven;
    const items: Lists[P]['item'][] = [];
    let cursor: string | undefined;
    do {
      const address = addressOf(path, { params, query: { limit: 100, ...query, cursor } });
      const reply = (await this.#call('GET', address)) as ListReply<Lists[P]['item']>;
      items.push(...reply.data);
      cursor = reply.pagination.next_cursor ?? undefined;
    } while (cursor !== undefined && items.length < count);
    return items.slice(0, count);
  }

  /** Yields a file as it arrives. Throws a {@link Failure} at the end if it was cut off. */
  async *download<P extends keyof Files>(
    path: P,
    ...[given]: Arguments<Given<P, Files[P]>>
  ): AsyncGenerator<Buffer> {
    const address = addressOf(path, given as AnyGiven);
    try {
      const response = await this.#send('GET', address, LONG_TIMEOUT_MS);
      if (response.statusCode !== 200)
        throw new Failure(explain(JSON.parse(await text(response)) as Refusal, address.split('?', 1)[0]!), 1);
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
        return `no service is listening on ${socket}; is it running, and is this its data directory (--data-dir)?`;
      case 'EACCES':
        return `no permission to open ${socket}; run this as the user that runs the service`;
      case 'ABORT_ERR':
        return `the service on ${socket} does not answer`;
      default:
        return `cannot speak to the service on ${socket}: ${error.message}`;
    }
  }
}

/** Returns a path with its variables and query filled in. */
function addressOf(path: string, { params = {}, query = {} }: AnyGiven = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return filled;
  return `${filled}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** Returns the lines of an error: each invalid field, or the message with its details. */
function explain({ error: { code, message, details = {} } }: Refusal, path: string): string[] {
  const { fields, ...rest } = details;
  if (fields) return fields.map((problem) => `${problem.field}: ${problem.message}`);
  if (code === 'not_found') return [`${message} (${path})`];
  const facts = Object.entries(rest).map(([name, value]) => `${name}: ${value}`);
  return [facts.length > 0 ? `${message} (${facts.join(', ')})` : message];
}
