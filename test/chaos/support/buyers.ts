import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Customer, Reply, Target } from './customer.ts';

/** The customers' experience while the database comes and goes. */
export interface Traffic {
  /** The longest wait for a reply, in milliseconds. */
  slowest: number;
  /** The number of requests answered with 503. */
  refused: number;
  /** The number of VMs bought and deleted, by all customers. */
  bought: number;
  /** Set to true to end the traffic. */
  over: boolean;
}

/** Sends one request as a customer and checks that the reply is acceptable, whatever happens to the database. */
export async function ask(
  traffic: Traffic,
  customer: Customer,
  ...[method, path, request]: Parameters<Customer['send']>
) {
  const start = performance.now();
  const reply = await customer.send(method, path, request);
  traffic.slowest = Math.max(traffic.slowest, performance.now() - start);
  assert.match(reply.headers.get('x-request-id') ?? 'none', /^req_/);
  for (const name of ['limit', 'remaining', 'reset'])
    assert.match(
      reply.headers.get(`x-ratelimit-${name}`) ?? 'none',
      /^\d+$/,
      `${reply.status} ${reply.text}`,
    );
  assert.ok(reply.status < 500 || reply.status === 503, `${method} ${path}: ${reply.status} ${reply.text}`);
  if (reply.status === 503) {
    traffic.refused++;
    assert.equal(reply.json.error.code, 'service_unavailable');
    assert.ok(reply.json.error.details.retry_after_seconds >= 1);
    assert.equal(reply.headers.get('retry-after'), null);
  }
  return reply;
}

/** Repeats a request until it succeeds, as a buyer without a reply does. */
export async function insist(
  traffic: Traffic,
  customer: Customer,
  ...call: Parameters<Customer['send']>
): Promise<Reply> {
  for (;;) {
    const reply = await ask(traffic, customer, ...call);
    if (reply.status === 200) return reply;
    const { code } = reply.json.error;
    assert.ok(['service_unavailable', 'idempotency_in_progress', 'vm_locked'].includes(code), reply.text);
    await sleep(50);
  }
}

/** Buys and deletes a VM again and again until the outages are over; returns how often. */
export async function keepBuying(traffic: Traffic, customer: Customer, wish: object = {}): Promise<number> {
  let bought = 0;
  for (; !traffic.over; bought++, traffic.bought++) {
    const body = { plan: 's1', template: 'debian-12', hostname: 'web-1', ...wish };
    const created = await insist(traffic, customer, 'POST', '/v1/vm', { body, idempotencyKey: randomUUID() });
    const path = `/v1/vm/${created.json.data.vm.id}`;
    for (let locked = true; locked; ) {
      const { json } = await insist(traffic, customer, 'GET', `${path}?wait_seconds=1`);
      ({ locked } = json.data);
      if (!locked) assert.equal(json.data.status, 'running');
    }
    await insist(traffic, customer, 'DELETE', path, { idempotencyKey: randomUUID() });
    for (let reply = await ask(traffic, customer, 'GET', path); reply.status !== 404; ) {
      await sleep(20);
      reply = await ask(traffic, customer, 'GET', path);
    }
  }
  return bought;
}

/** Polls until `holds` resolves to true; returns how long that took, in milliseconds. */
export async function until(holds: () => Promise<boolean>): Promise<number> {
  const start = performance.now();
  while (!(await holds())) await sleep(20);
  return performance.now() - start;
}

export const isReady = async ({ baseUrl }: Pick<Target, 'baseUrl'>) =>
  (await fetch(`${baseUrl}/readyz`)).status === 200;
