import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { createClient } from '../../sdk/src/index.ts';
import { SCOPES } from '../acceptance/support/roster.ts';
import { start } from '../acceptance/support/start.ts';
import { newSubject } from '../acceptance/support/world.ts';
import { Prng } from '../simulation/prng.ts';
import { defer } from '../support/cleanup.ts';

/** Number of VMs; for a thousand by hand: `SDK_FAULTS=1000 npm test -- test/sdk/faults.full.test.ts`. */
const VMS = Number(process.env.SDK_FAULTS ?? 50);

type Fault = 'none' | 'refused' | 'gateway' | 'lost' | 'gateway-after' | 'half' | 'limit';
const FAULTS: readonly [Fault, ...Fault[]] = [
  'none',
  'none',
  'none',
  'refused',
  'gateway',
  'lost',
  'gateway-after',
  'half',
  'limit',
];

/** A proxy that spoils most requests: before the service has seen them, or after it has executed them. */
async function badProxy(t: TestContext, target: string) {
  const random = new Prng('faults');
  const seen: Partial<Record<Fault, number>> = {};
  const server = createServer(async (incoming, response) => {
    const fault = random.pick(FAULTS);
    seen[fault] = (seen[fault] ?? 0) + 1;
    const body = await buffer(incoming);
    if (fault === 'refused') return void incoming.socket.destroy();
    if (fault === 'gateway') return void response.writeHead(502).end('bad gateway');
    if (fault === 'limit') return void limit(response);
    const answer = await forward(target, incoming, body);
    if (fault === 'lost') return void incoming.socket.destroy();
    if (fault === 'gateway-after') return void response.writeHead(504).end('too late');
    response.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body.length });
    if (fault !== 'half') return void response.end(answer.body);
    response.write(answer.body.subarray(0, answer.body.length / 2), () => incoming.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  defer(t, () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

function limit(response: ServerResponse): void {
  const error = { code: 'rate_limit_exceeded', message: 'Too many requests.' };
  response.writeHead(429, { 'retry-after': '1', 'content-type': 'application/json' });
  response.end(JSON.stringify({ error }));
}

async function forward(target: string, { method, url, headers }: IncomingMessage, body: Buffer) {
  const { host: _, ...rest } = headers;
  const outgoing = request(`${target}${url}`, { method, headers: rest, agent: false });
  outgoing.end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: answer.statusCode!, headers: answer.headers, body: await buffer(answer) };
}

test('through a network that loses requests, each VM is created once and paid once', async (t) => {
  const { operator, client: program, baseUrl } = await start(t);
  const limits = { vms: VMS, vcpu: VMS * 8, ram_mb: VMS * 16_384, disk_gb: VMS * 200 };
  const { account } = await newSubject(operator, program, { limits, balance: VMS * 10_000 });
  const apiKey = await operator.key(account, SCOPES);
  const { url, seen } = await badProxy(t, baseUrl());
  // The client's waits take no time, because they do not matter here.
  const client = createClient({
    baseUrl: url,
    apiKey,
    requestsPerMinute: 10_000_000,
    maxRetries: 60,
    clock: { now: () => performance.now(), sleep: () => new Promise((resolve) => setImmediate(resolve)) },
  });
  const direct = createClient({ baseUrl: baseUrl(), apiKey, requestsPerMinute: 10_000_000 });

  const names = Array.from({ length: VMS }, (_, n) => `web-${n}`);
  const waiting = [...names];
  const made: string[] = [];
  const worker = async () => {
    for (let hostname = waiting.pop(); hostname; hostname = waiting.pop()) {
      const { vm } = await client.vms.create({ plan: 's1', template: 'debian-12', hostname, start: false });
      made.push(vm.id);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  t.diagnostic(JSON.stringify(seen));
  for (const fault of FAULTS) assert.ok(seen[fault], `${fault} has not happened`);

  const vms = await direct.vms.list({ limit: 100 }).toArray();
  assert.deepEqual(vms.map(({ hostname }) => hostname).sort(), names.sort());
  assert.deepEqual(vms.map(({ id }) => id).sort(), made.sort());
  const orders = await direct.billing.orders({ limit: 100, kind: 'create' }).toArray();
  assert.deepEqual(orders.map(({ vm_id }) => vm_id).sort(), made.sort());
});
