import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ApiError,
  type Attempt,
  type ClientOptions,
  ConnectionError,
  createClient,
  InsufficientFundsError,
  JobFailedError,
  RateLimitExceededError,
  TimeoutError,
} from '../../sdk/src/index.ts';
import { VirtualClock } from './support/virtual-clock.ts';

/** The client's requests and retries without a service: the tests give each reply. */

interface Sent {
  method: string;
  path: string;
  key: string | null;
  at: number;
}

type Reply = (sent: Sent, init: RequestInit) => Response | Promise<Response>;

const json = (status: number, body: object, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'x-request-id': 'req_1', ...headers } });
const data = (value: unknown) => json(200, { data: value });
const refusal = (status: number, code: string, headers?: Record<string, string>, details?: object) =>
  json(status, { error: { code, message: 'No.', details } }, headers);
const cut = () => {
  throw new TypeError('fetch failed');
};

function world(replies: Reply[], more: Partial<ClientOptions> = {}) {
  const clock = new VirtualClock();
  const sent: Sent[] = [];
  const attempts: Attempt[] = [];
  const client = createClient({
    baseUrl: 'http://service.invalid/',
    apiKey: 'vk_test',
    clock,
    onAttempt: (attempt) => attempts.push(attempt),
    fetch: async (url, init) => {
      const headers = new Headers(init.headers);
      const one = {
        method: init.method!,
        path: url.slice(22),
        key: headers.get('idempotency-key'),
        at: clock.now(),
      };
      sent.push(one);
      return (replies.length > 1 ? replies.shift()! : replies[0]!)(one, init);
    },
    ...more,
  });
  return { client, clock, sent, attempts };
}

const ORDER = { plan: 's1', template: 'debian-12', hostname: 'web-1' };

test('a paid operation is retried with one key until it is answered', async () => {
  const half = () => new Response('{"data": {"vm"', { status: 200 });
  const { client, clock, sent, attempts } = world([
    cut,
    () => new Response('bad gateway', { status: 502 }),
    half,
    () => refusal(409, 'idempotency_in_progress'),
    () => data({ vm: { id: 'vm_1' } }),
  ]);
  const { vm } = await clock.run(client.vms.create(ORDER));
  assert.equal(vm.id, 'vm_1');
  assert.equal(sent.length, 5);
  assert.equal(new Set(sent.map(({ key }) => key)).size, 1);
  assert.match(sent[0]!.key!, /^[0-9a-f-]{36}$/);
  assert.deepEqual(
    attempts.map(({ number, status, retryInMs }) => [number, status, retryInMs !== undefined]),
    [
      [1, undefined, true],
      [2, 502, true],
      [3, undefined, true],
      [4, 409, true],
      [5, 200, false],
    ],
  );
});

test('another write is never retried if it may have been carried out', async () => {
  for (const reply of [cut, () => refusal(500, 'internal_error'), () => new Response('', { status: 502 })]) {
    const { client, clock, sent } = world([reply]);
    await assert.rejects(clock.run(client.vms.start('vm_1')), (error) => error instanceof Error);
    assert.equal(sent.length, 1);
    assert.equal(sent[0]!.key, null);
  }
});

test('any request over the limit waits as long as the service says', async () => {
  const { client, clock, sent } = world([
    () => refusal(429, 'rate_limit_exceeded', { 'retry-after': '7' }),
    () => data({ vm: {}, job: {} }),
  ]);
  await clock.run(client.vms.start('vm_1'));
  assert.equal(sent.length, 2);
  assert.ok(sent[1]!.at >= 7000 && sent[1]!.at <= 8000);
});

test('repeats end, and the last error is thrown', async () => {
  const { client, clock, sent } = world([cut], { maxRetries: 3 });
  await assert.rejects(clock.run(client.vms.create(ORDER, { idempotencyKey: 'mine' })), (error) => {
    assert.ok(error instanceof ConnectionError);
    assert.equal(error.idempotencyKey, 'mine');
    return true;
  });
  assert.deepEqual(
    sent.map(({ key }) => key),
    ['mine', 'mine', 'mine', 'mine'],
  );
  const limited = world([() => refusal(429, 'rate_limit_exceeded', { 'retry-after': '1' })], {
    maxRetries: 1,
  });
  await assert.rejects(limited.clock.run(limited.client.billing.wallet()), RateLimitExceededError);
});

test('a refusal is an error of its class, with status, request id and details', async () => {
  const { client, sent } = world([
    () => refusal(402, 'insufficient_funds', {}, { required_minor: 499, shortfall_minor: 99 }),
  ]);
  await assert.rejects(client.vms.create(ORDER), (error) => {
    assert.ok(error instanceof InsufficientFundsError && error instanceof ApiError);
    assert.deepEqual([error.status, error.code, error.requestId], [402, 'insufficient_funds', 'req_1']);
    assert.equal(error.details.shortfall_minor, 99);
    assert.equal(error.name, 'InsufficientFundsError');
    return true;
  });
  assert.equal(sent.length, 1);
  const unknown = world([() => refusal(418, 'brand_new')]);
  await assert.rejects(unknown.client.billing.wallet(), { code: 'brand_new', status: 418 });
});

test('an attempt has a time-out, and a signal ends everything', async () => {
  const hang: Reply = (_, { signal }) =>
    new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)));
  const slow = world([hang], { maxRetries: 0, timeoutMs: 5 });
  // The timeout's timer does not keep the process alive.
  const alive = setInterval(() => undefined, 1000);
  await assert.rejects(slow.client.billing.wallet(), TimeoutError);
  clearInterval(alive);
  const abort = new AbortController();
  const { client, sent } = world([hang]);
  const waiting = client.billing.wallet({ signal: abort.signal });
  setImmediate(() => abort.abort(new Error('enough')));
  await assert.rejects(waiting, { message: 'enough' });
  assert.equal(sent.length, 1);
});

test('a list is read only as far as it is consumed', async () => {
  const page = (ids: string[], next: string | null) => () =>
    json(200, {
      data: ids.map((id) => ({ id })),
      pagination: { limit: 2, next_cursor: next, has_more: next !== null },
    });
  const { client, sent } = world([page(['a', 'b'], 'n1'), page(['c', 'd'], 'n2'), page(['e'], null)]);
  const seen: string[] = [];
  for await (const { id } of client.vms.list({ limit: 2, status: 'running' })) seen.push(id);
  assert.deepEqual(seen, ['a', 'b', 'c', 'd', 'e']);
  assert.deepEqual(
    sent.map(({ path }) => path),
    [
      '/v1/vm?limit=2&status=running',
      '/v1/vm?limit=2&status=running&cursor=n1',
      '/v1/vm?limit=2&status=running&cursor=n2',
    ],
  );
  const first = world([page(['a', 'b'], 'n1')]);
  for await (const _ of first.client.vms.list()) break;
  assert.equal(first.sent.length, 1);
});

test('an empty identifier is refused before anything is sent', () => {
  const { client, sent } = world([() => data({})]);
  for (const id of ['', '.', '..']) assert.throws(() => client.vms.delete(id), TypeError);
  assert.equal(sent.length, 0);
});

test('a job that has failed is an error', async () => {
  const job = { id: 'job_1', kind: 'start', vm_id: 'vm_1' } as const;
  const failed = { ...job, status: 'failed', error: { code: 'interrupted', message: 'Interrupted.' } };
  const { client } = world([() => data({ id: 'vm_1', active_job: null, last_job: failed })]);
  await assert.rejects(client.waitForJob(job), JobFailedError);
});

test('the waits of two hundred VMs look at the list, stay within the limit, and other calls continue', async () => {
  const clock = new VirtualClock();
  const doneAt = (n: number) => 20_000 + n * 1500;
  const vmOf = (n: number) => ({
    id: `vm_${n}`,
    active_job: clock.now() >= doneAt(n) ? null : {},
    last_job: null,
  });
  const arrived: number[] = [];
  const client = createClient({
    baseUrl: 'http://service.invalid',
    apiKey: 'vk_test',
    clock,
    fetch: async (url) => {
      arrived.push(clock.now());
      const { pathname, searchParams } = new URL(url);
      if (pathname === '/v1/billing/wallet') return data({});
      if (pathname === '/v1/vm') {
        const from = Number(searchParams.get('cursor') ?? 0);
        const next = from < 200 ? String(from + 100) : null;
        const vms = Array.from({ length: 100 }, (_, n) => vmOf(from + n)).filter((_, n) => from + n < 200);
        return json(200, {
          data: vms,
          pagination: { limit: 100, next_cursor: next, has_more: next !== null },
        });
      }
      const n = Number(/vm_(\d+)$/.exec(pathname)![1]);
      const end = Math.min(clock.now() + 30_000, Math.max(clock.now(), doneAt(n)));
      await clock.sleep(end - clock.now());
      // A VM that never existed is waited for together with the others.
      return n < 200 ? data(vmOf(n)) : refusal(404, 'not_found');
    },
  });
  const calls: number[] = [];
  const others = async () => {
    for (let n = 0; n < 10; n += 1) {
      const start = clock.now();
      await client.billing.wallet();
      calls.push(clock.now() - start);
      await clock.sleep(20_000);
    }
  };
  const late: number[] = [];
  const waits = Array.from({ length: 200 }, async (_, n) => {
    const vm = await client.waitUntilIdle(`vm_${n}`);
    assert.deepEqual(vm.id, `vm_${n}`);
    late.push(clock.now() - doneAt(n));
  });
  const abort = new AbortController();
  const aborted = assert.rejects(client.waitUntilIdle('vm_199', { signal: abort.signal }), /enough/);
  const missing = assert.rejects(client.waitUntilIdle('vm_200'), { status: 404 });
  abort.abort(new Error('enough'));
  await clock.run(Promise.all([...waits, aborted, missing, others()]));
  assert.equal(late.length, 200);
  assert.ok(Math.min(...late) >= 0 && Math.max(...late) <= 4000, `noticed within ${Math.max(...late)} ms`);
  const busiest = Math.max(
    ...arrived.map((start) => arrived.filter((at) => at >= start && at < start + 60_000).length),
  );
  assert.ok(busiest <= 60, `${busiest} requests in a minute`);
  assert.ok(Math.max(...calls) < 1000, 'a call waited for the waits');
});

test('a pause before a repeat is as long as chance says, which is given', async () => {
  for (const [random, ms] of [
    [0, 250],
    [0.5, 375],
    [0.999, 499.75],
  ] as const) {
    const { client, clock, sent } = world([cut, () => data({})], { random: () => random });
    await clock.run(client.billing.wallet());
    assert.equal(sent[1]!.at, ms);
  }
});

test('an invoice is a file of the kind that is asked for', async () => {
  const accepted: (string | null)[] = [];
  const { client } = world([
    (_, init) => {
      accepted.push(new Headers(init.headers).get('accept'));
      return new Response(new Uint8Array([37, 80, 68, 70, 255]), { status: 200 });
    },
  ]);
  assert.deepEqual(await client.invoiceFile('inv_1', 'pdf'), new Uint8Array([37, 80, 68, 70, 255]));
  assert.deepEqual(accepted, ['application/pdf']);
});
