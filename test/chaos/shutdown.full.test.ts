// Runs on both engines: a stop closes connections, or the engine itself.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { assertInvariants } from '../support/invariants.ts';
import { startService } from '../support/service.ts';
import { isReady } from './support/buyers.ts';
import { newCustomer } from './support/customer.ts';
import { startInProcess } from './support/in-process.ts';

/** A minute, so that no job finishes during these tests. */
const env = { VAUBAN_SIMULATOR_BOOT_SECONDS: '60' };
const DRAIN_SECONDS = 30;
const CREATE = { plan: 's1', template: 'debian-12', hostname: 'web-1' };

/** A creation whose headers have arrived while the service waits for the body. */
async function halfSent(baseUrl: string, key: string, body: string): Promise<ClientRequest> {
  const outgoing = request(`${baseUrl}/v1/vm`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${key}`,
      'idempotency-key': 'half-sent',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      expect: '100-continue',
    },
  });
  outgoing.flushHeaders();
  await once(outgoing, 'continue');
  return outgoing;
}

test('a service answers every request after SIGTERM and exits with status 0', async (t) => {
  const service = await startService(t, { env });
  const customer = await newCustomer(service);
  const { vm } = await customer.ask('POST', '/v1/vm', CREATE);
  const began = performance.now();
  const polling = customer.send('GET', `/v1/vm/${vm.id}?wait_seconds=30`);
  const body = JSON.stringify(CREATE);
  const creating = await halfSent(service.baseUrl, customer.key, body);

  const stopped = service.stop();
  const polled = await polling;
  assert.equal(polled.status, 200);
  assert.equal(polled.json.data.active_job.kind, 'create');
  assert.ok(performance.now() - began < 25_000, 'a long poll does not hold up the end');
  await assert.rejects(customer.send('GET', '/v1/vm'), 'nothing new is accepted');

  creating.end(body);
  const [response] = (await once(creating, 'response')) as [IncomingMessage];
  const created = JSON.parse(await text(response));
  assert.equal(response.statusCode, 200);
  await stopped;

  const again = await startService(t, { env, location: service.location });
  customer.target = again;
  const replayed = await customer.send('POST', '/v1/vm', { body: CREATE, idempotencyKey: 'half-sent' });
  assert.deepEqual(replayed.json, created);
  await again.stop();
  const db = await service.location.open();
  await assertInvariants(db).finally(() => db.close());
});

test('a draining node says so and keeps serving, and ends when the time is over', async (t) => {
  const node = await startInProcess(t, { env: { VAUBAN_DRAIN_SECONDS: String(DRAIN_SECONDS) } });
  const customer = await newCustomer(node);
  assert.ok(await isReady(node));
  let over = false;
  const stopped = node.service.stop().then(() => {
    over = true;
  });
  assert.ok(!(await isReady(node)));
  for (let second = 0; second < DRAIN_SECONDS; second++) {
    const listed = await customer.send('GET', '/v1/vm');
    assert.equal(listed.status, 200);
    assert.equal(listed.headers.get('connection'), 'close', 'the next request goes elsewhere');
    assert.ok(!over);
    node.clock.advance(1000);
  }
  // Pending work may wait on the clock.
  while (!over) {
    await nextTurn();
    node.clock.advance(100);
  }
  await stopped;
  await assert.rejects(customer.send('GET', '/v1/vm'));
});
