import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ALL_SCOPES } from '../../../server/access/scopes.ts';
import { call } from '../../operator/support.ts';

/** A running service, in this process or another. */
export interface Target {
  baseUrl: string;
  operatorSocket: string;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The reply, read as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
  json: any;
}

export interface Request {
  body?: unknown;
  idempotencyKey?: string;
  headers?: Record<string, string>;
}

/** Asks the operator's socket, which must agree; what it answers. */
// biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
export async function operate(target: Target, path: string, body?: unknown): Promise<any> {
  const reply = await call(target.operatorSocket, body === undefined ? 'GET' : 'POST', path, body);
  assert.equal(reply.status, 200, reply.text);
  return reply.json().data;
}

/** One request without any key, or with the one in its headers. */
export async function send(
  target: Pick<Target, 'baseUrl'>,
  method: string,
  path: string,
  { body, idempotencyKey, headers = {} }: Request = {},
): Promise<Reply> {
  const response = await fetch(target.baseUrl + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}

/** An account with one key, at a service that may be started again at another address. */
export class Customer {
  readonly accountId: string;
  readonly key: string;
  readonly keyId: string;
  target: Target;

  constructor(target: Target, accountId: string, key: { key: string; id: string }) {
    this.target = target;
    this.accountId = accountId;
    this.key = key.key;
    this.keyId = key.id;
  }

  send(method: string, path: string, request: Request = {}): Promise<Reply> {
    const headers = { authorization: `Bearer ${this.key}`, ...request.headers };
    return send(this.target, method, path, { ...request, headers });
  }

  /** Sends a request that must succeed; its `data`. */
  // biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
  async ask(method: string, path: string, body?: unknown): Promise<any> {
    const reply = await this.send(method, path, { body, idempotencyKey: randomUUID() });
    assert.equal(reply.status, 200, reply.text);
    return reply.json.data;
  }

  /** The VM once no job runs on it, or undefined once it is deleted. */
  // biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
  async settled(vmId: string): Promise<any> {
    for (;;) {
      const reply = await this.send('GET', `/v1/vm/${vmId}?wait_seconds=10`);
      if (reply.status === 404) return undefined;
      assert.equal(reply.status, 200, reply.text);
      if (!reply.json.data.active_job) return reply.json.data;
    }
  }

  /** The VM as soon as `holds` says so; for what can only be waited for from outside. */
  // biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
  async until(vmId: string, holds: (vm: any) => boolean): Promise<any> {
    for (;;) {
      const vm = await this.ask('GET', `/v1/vm/${vmId}`);
      if (holds(vm)) return vm;
      await sleep(10);
    }
  }
}

export interface CustomerOptions {
  /** Major units. */
  credit?: string;
  limits?: Record<string, number>;
}

/** Another key of an account. */
export function newKey(target: Target, accountId: string, more: Record<string, unknown> = {}) {
  return operate(target, `/accounts/${accountId}/keys`, { name: 'test', scopes: ALL_SCOPES, ...more });
}

/** A new account with money and a key that may do everything. */
export async function newCustomer(
  target: Target,
  { credit = '100', limits }: CustomerOptions = {},
): Promise<Customer> {
  const { id } = await operate(target, '/accounts', { name: 'Test', limits });
  if (Number(credit) > 0) await operate(target, `/accounts/${id}/credits`, { amount: credit });
  return new Customer(target, id, await newKey(target, id));
}
