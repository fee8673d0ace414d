import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  OPERATOR_OPERATIONS,
  type OperatorOperations,
  type Error as Refusal,
} from '../shared/api/operator.ts';
import { Failure } from './failure.ts';

/** The service replies within milliseconds; after this long it is stuck. */
const TIMEOUT_MS = 30_000;
/** For operations that copy and check large files. */
export const LONG_TIMEOUT_MS = 3_600_000;

type Fields = Record<string, unknown>;
type Place = readonly [method: 'GET' | 'POST', path: string, kind?: 'list' | 'once'];

interface ListReply<T> {
  data: T[];
  pagination: { next_cursor: string | null };
}

export type OperationId = keyof OperatorOperations;

type Part<O extends OperationId, Name extends string> =
  OperatorOperations[O] extends Record<Name, infer Fields> ? Fields : unknown;
/** The variables of an operation's path and the fields of its query or body, by their names. */
export type Input<O extends OperationId> = Part<O, 'params'> & Part<O, 'query'> & Part<O, 'body'>;
export type Answer<O extends OperationId> = OperatorOperations[O] extends { data: infer Data } ? Data : never;
/** The arguments of a call; the input is optional if nothing in it is required. */
type Arguments<O extends OperationId> =
  Partial<Input<O>> extends Input<O>
    ? [input?: Input<O>, options?: CallOptions]
    : [input: Input<O>, options?: CallOptions];

interface CallOptions {
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

  /** Returns the reply of an operation; for a list, all pages or the first `count` items, newest first. */
  call<O extends OperationId>(operation: O, ...[input, options]: Arguments<O>): Promise<Answer<O>> {
    return this.perform(operation, input ?? ({} as Input<O>), options);
  }

  /** As {@link call}, for an operation that is known at run time only. */
  async perform<O extends OperationId>(
    operation: O,
    input: Input<O>,
    { timeoutMs, count = Number.POSITIVE_INFINITY }: CallOptions = {},
  ): Promise<Answer<O>> {
    const [method, path, kind] = OPERATOR_OPERATIONS[operation] as Place;
    const { filled, rest } = fill(path, input as Fields);
    if (kind === 'list') return (await this.#list(filled, rest, count)) as Answer<O>;
    const isPost = method === 'POST';
    const address = isPost ? filled : withQuery(filled, rest);
    const reply = await this.#call(method, address, isPost ? rest : undefined, timeoutMs);
    return (reply as { data: Answer<O> }).data;
  }

  async #list(path: string, query: Fields, count: number): Promise<unknown[]> {
    const items: unknown[] = [];
    let cursor: string | undefined;
    do {
      const address = withQuery(path, { limit: 100, ...query, cursor });
      const reply = (await this.#call('GET', address)) as ListReply<unknown>;
      items.push(...reply.data);
      cursor = reply.pagination.next_cursor ?? undefined;
    } while (cursor !== undefined && items.length < count);
    return items.slice(0, count);
  }

  /** Yields a file as it arrives. Throws a {@link Failure} at the end if it was cut off. */
  async *download<O extends OperationId>(operation: O, input: Input<O>): AsyncGenerator<Buffer> {
    const [, path] = OPERATOR_OPERATIONS[operation] as Place;
    const { filled, rest } = fill(path, input as Fields);
    try {
      const response = await this.#send('GET', withQuery(filled, rest), LONG_TIMEOUT_MS);
      if (response.statusCode !== 200)
        throw new Failure(explain(JSON.parse(await text(response)) as Refusal, filled), 1);
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

/** Returns a path with its variables, and the other fields. */
function fill(path: string, input: Fields): { filled: string; rest: Fields } {
  const rest = { ...input };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    delete rest[name];
    return encodeURIComponent(input[name] as string);
  });
  return { filled, rest };
}

function withQuery(path: string, query: Fields): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return path;
  return `${path}?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

/** Returns the lines of an error: each invalid field, or the message with its details. */
function explain({ error: { code, message, details = {} } }: Refusal, path: string): string[] {
  const { fields, ...rest } = details;
  if (fields) return fields.map((problem) => `${problem.field}: ${problem.message}`);
  if (code === 'not_found') return [`${message} (${path})`];
  const facts = Object.entries(rest).map(([name, value]) => `${name}: ${value}`);
  return [facts.length > 0 ? `${message} (${facts.join(', ')})` : message];
}
