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
  // biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
  json: any;
}

export interface Request {
  body?: unknown;
  idempotencyKey?: string;
  headers?: Record<string, string>;
}

/** Sends a request to the operator's socket, which must succeed; returns the `data`. */
// biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
export async function operate(target: Target, path: string, body?: unknown): Promise<any> {
  const reply = await call(target.operatorSocket, body === undefined ? 'GET' : 'POST', path, body);
  assert.equal(reply.status, 200, reply.text);
  return reply.json().data;
}

/** Sends one request. There is no API key unless the headers contain one. */
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

/** An account with one key. Its service may be restarted at another address. */
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

  /** Sends a request that must succeed; returns its `data`. */
  // biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
  async ask(method: string, path: string, body?: unknown): Promise<any> {
    const reply = await this.send(method, path, { body, idempotencyKey: randomUUID() });
    assert.equal(reply.status, 200, reply.text);
    return reply.json.data;
  }

  /** Returns the VM once it has no job, or undefined once it has been deleted. */
  // biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
  async settled(vmId: string): Promise<any> {
    for (;;) {
      const reply = await this.send('GET', `/v1/vm/${vmId}?wait_seconds=10`);
      if (reply.status === 404) return undefined;
      assert.equal(reply.status, 200, reply.text);
      if (!reply.json.data.active_job) return reply.json.data;
    }
  }

  /** Polls until `holds` is true for the VM and returns it, for changes that can only be observed from outside. */
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
  /** In major units. */
  credit?: string;
  limits?: Record<string, number>;
}

export function newKey(target: Target, accountId: string, more: Record<string, unknown> = {}) {
  return operate(target, `/accounts/${accountId}/keys`, { name: 'test', scopes: ALL_SCOPES, ...more });
}

/** Creates an account with money and a key with all scopes. */
export async function newCustomer(
  target: Target,
  { credit = '100', limits }: CustomerOptions = {},
): Promise<Customer> {
  const { id } = await operate(target, '/accounts', { name: 'Test', limits });
  if (Number(credit) > 0) await operate(target, `/accounts/${id}/credits`, { amount: credit });
  return new Customer(target, id, await newKey(target, id));
}
