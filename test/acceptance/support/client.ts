import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { checkReply } from './checks.ts';
import type { Coverage } from './coverage.ts';
import { type Operation, operationOf } from './document.ts';
import type { Reply, Request, Transport } from './transport.ts';

/** A reply that has passed the checks. */
export interface Answer extends Reply {
  /** The error code; undefined for a success. */
  code: string | undefined;
}

export interface Call {
  /** The values of the path's variables, in order. */
  at?: string[];
  query?: Record<string, string | number | boolean>;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Returns the header that repeats an idempotent call. */
export const idempotencyKey = (value: string) => ({ 'idempotency-key': value });

/** Converts a call to a request without an API key. Generates an Idempotency-Key if one is needed. */
export function toRequest(operation: Operation, { at = [], query, body, headers }: Call): Request {
  const values = [...at];
  const path = operation.path.replace(/\{\w+\}/g, () => encodeURIComponent(values.shift() ?? 'missing'));
  const search = new URLSearchParams(
    Object.entries(query ?? {}).map(([name, value]): [string, string] => [name, `${value}`]),
  );
  return {
    method: operation.method,
    target: search.size > 0 ? `${path}?${search}` : path,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(operation.idempotent && idempotencyKey(randomUUID())),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

/** A customer's client with one API key. Every reply, including errors, is checked against openapi.json. */
export class Client {
  readonly #transport: Transport;
  readonly #key: string | undefined;
  readonly #coverage: Coverage | undefined;

  constructor(transport: Transport, key?: string, coverage?: Coverage) {
    this.#transport = transport;
    this.#key = key;
    this.#coverage = coverage;
  }

  withKey(key: string | undefined): Client {
    return new Client(this.#transport, key, this.#coverage);
  }

  /** Sends any request, with the key unless it has its own Authorization header. */
  async send(request: Request): Promise<Answer> {
    const headers = {
      ...(this.#key !== undefined && { authorization: `Bearer ${this.#key}` }),
      ...request.headers,
    };
    const reply = await this.#transport.send({ ...request, headers });
    const code = checkReply(request, reply);
    this.#coverage?.record(request, code ?? 'ok');
    return { ...reply, code };
  }

  call(operationId: string, call: Call = {}): Promise<Answer> {
    return this.send(toRequest(operationOf(operationId), call));
  }

  /** Calls an operation that must succeed; returns its `data`. */
  async ok<T>(operationId: string, call: Call = {}): Promise<T> {
    const answer = await this.call(operationId, call);
    assert.equal(answer.status, 200, `${operationId}: ${answer.text}`);
    return (JSON.parse(answer.text) as { data: T }).data;
  }

  /** Calls an operation that must be refused with `code`; returns `error.details`. */
  async refused(operationId: string, code: string, call: Call = {}): Promise<Record<string, unknown>> {
    const answer = await this.call(operationId, call);
    assert.equal(answer.code, code, `${operationId}: ${answer.status} ${answer.text}`);
    return (JSON.parse(answer.text) as { error: { details?: Record<string, unknown> } }).error.details ?? {};
  }
}
