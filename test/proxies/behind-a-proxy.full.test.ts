import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { EventReader } from '../agent/support/event-reader.ts';
import { newCustomer, newKey } from '../chaos/support/customer.ts';
import { attempt, open } from '../consoles/support/socket.ts';
import { defer } from '../support/cleanup.ts';
import { type Service, startService } from '../support/service.ts';
import { ProxiedCustomer, type Route, routeTo } from './support/caller.ts';
import {
  KINDS,
  lastCheck,
  type ProxyName,
  type RunningProxy,
  skipWithoutProxies,
  startProxy,
} from './support/proxy.ts';

/** The proxies call the service from 127.0.0.1, which it trusts; customers connect from here. */
const CUSTOMER = '127.0.0.3';
/** False values in each header that the service believes if a proxy sent it. */
const LIES = {
  'x-forwarded-for': '198.51.100.7',
  'x-forwarded-proto': 'http',
  'x-forwarded-host': 'evil.example',
  forwarded: 'for=198.51.100.7;proto=http;host=evil.example',
  'x-real-ip': '198.51.100.7',
};
const POLL_SECONDS = 30;

interface Env {
  name: ProxyName;
  service: Service;
  proxy: RunningProxy;
  customer: ProxiedCustomer;
  route: Route;
  vmId: string;
}

test('the documented proxies', { skip: skipWithoutProxies() }, async (t) => {
  const env = { VAUBAN_TRUST_PROXY: '127.0.0.1', VAUBAN_SIMULATOR_BOOT_SECONDS: '1' };
  const service = await startService(t, { env });
  for (const name of Object.keys(KINDS) as ProxyName[]) {
    await t.test(name, async (t) => {
      const proxy = await startProxy(t, name, service);
      const route = routeTo(proxy, CUSTOMER);
      const direct = await newCustomer(service);
      const { accountId, key, keyId: id } = direct;
      const customer = customerAt(t, proxy, route, { accountId, key, id });
      const vmId = await longPoll(t, customer);
      const env: Env = { name, service, proxy, customer, route, vmId };
      await t.test('forged addresses are not believed', (t) => forgedAddresses(t, env));
      await t.test('health, descriptions and large bodies', () => plainRequests(env));
      await t.test('consoles open, with and without an Origin', (t) => consoles(t, env));
      await t.test('a share link shows its page and its terminal', (t) => shareLink(t, env));
      if (name === 'haproxy')
        await t.test('its health check is answered', async () =>
          assert.equal(await lastCheck(proxy), 'L7OK 200'),
        );
      await t.test('events arrive while the run is at work', (t) => agentEvents(t, env));
    });
  }
});

function customerAt(
  t: TestContext,
  { baseUrl }: RunningProxy,
  route: Route,
  key: { accountId: string; key: string; id: string },
): ProxiedCustomer {
  return new ProxiedCustomer(t, { baseUrl, operatorSocket: '' }, key, route);
}

/** Buys a VM and waits for it; each reply arrives at the job's end, or after the whole requested time. */
async function longPoll(t: TestContext, customer: ProxiedCustomer): Promise<string> {
  const { vm, job } = await customer.ask('POST', '/v1/vm', {
    plan: 's1',
    template: 'debian-12',
    hostname: 'web',
  });
  assert.notEqual(job.status, 'succeeded');
  for (;;) {
    const start = performance.now();
    const { status, text, json } = await customer.send('GET', `/v1/vm/${vm.id}?wait_seconds=${POLL_SECONDS}`);
    assert.equal(status, 200, text);
    if (!json.data.active_job) {
      assert.equal(json.data.status, 'running');
      return vm.id;
    }
    const waited = performance.now() - start;
    t.diagnostic(`the VM was not ready within ${waited} ms`);
    assert.ok(waited > (POLL_SECONDS - 1) * 1_000, `answered after ${waited} ms, while the job was at work`);
  }
}

async function forgedAddresses(
  t: TestContext,
  { service, proxy, customer, route, vmId }: Env,
): Promise<void> {
  const { accountId } = customer;
  const keyFor = async (network: string) =>
    customerAt(t, proxy, route, {
      accountId,
      ...(await newKey(service, accountId, { allow_cidrs: [network] })),
    });
  const here = await keyFor(`${CUSTOMER}/32`);
  const elsewhere = await keyFor('198.51.100.0/24');
  const request = { body: { notes: 'x' }, headers: LIES };
  assert.equal((await elsewhere.send('PATCH', `/v1/vm/${vmId}`, request)).json.error.code, 'ip_not_allowed');
  const changed = await here.send('PATCH', `/v1/vm/${vmId}`, request);
  assert.equal(changed.status, 200, changed.text);
  const [event] = await customer.ask('GET', `/v1/vm/${vmId}/events?type=vm.updated`);
  assert.equal(event.actor.ip, CUSTOMER);
  const id = changed.headers.get('x-request-id')!;
  const find = () =>
    service
      .output()
      .split('\n')
      .find((text) => text.includes(id) && text.includes('"msg":"request"'));
  // The line is written after the reply was sent, which the customer may have read before.
  let line = find();
  while (line === undefined) {
    await new Promise((resolve) => setImmediate(resolve));
    line = find();
  }
  assert.equal(JSON.parse(line).ip, CUSTOMER);
}

async function plainRequests({ proxy, customer }: Env): Promise<void> {
  for (const headers of [{}, LIES]) {
    const { json } = await customer.send('GET', '/openapi.json', { headers });
    assert.deepEqual(
      json.servers.map(({ url }: { url: string }) => url),
      [proxy.baseUrl],
    );
  }
  for (const method of ['GET', 'HEAD']) {
    for (const path of ['/healthz', '/readyz']) assert.equal((await customer.send(method, path)).status, 200);
  }
  const big = (size: number) =>
    customer.send('POST', '/v1/vm', { idempotencyKey: randomUUID(), body: { user_data: 'x'.repeat(size) } });
  const { status, json } = await big(90_000);
  assert.equal(status, 422, JSON.stringify(json));
  // Refused by the service, with the API's error, after the whole body has arrived.
  assert.equal((await big(1_900_000)).json.error.code, 'body_too_large');
}

async function consoles(t: TestContext, { proxy, customer, route, vmId }: Env): Promise<void> {
  const { host } = new URL(proxy.baseUrl);
  for (const origin of [undefined, proxy.baseUrl]) {
    const headers: Record<string, string> = origin ? { origin } : {};
    const screen = await customer.ask('GET', `/v1/vm/${vmId}/console`);
    assert.equal(screen.ws_url, `wss://${host}/console/${vmId}/vnc`);
    const options = { headers, connection: route };
    const rfb = await open(t, screen.ws_url, { ...options, protocols: ['binary', screen.ticket] });
    await rfb.says('RFB 003.008\n');
    rfb.ws.close();
    await rfb.closed;
    const { ws_url, token } = await customer.ask('POST', `/v1/vm/${vmId}/ssh-token`, {});
    const terminal = await open(t, ws_url, { ...options, protocols: ['vauban.ssh', token] });
    await terminal.says('debian@web');
    terminal.type('pwd\r');
    await terminal.says('/home/debian');
    terminal.ws.close();
    await terminal.closed;
  }
  const { ws_url, ticket } = await customer.ask('GET', `/v1/vm/${vmId}/console`);
  // A script of another page: neither its own host name nor a forged forwarded one helps it.
  const headers = { ...LIES, origin: 'https://evil.example' };
  assert.equal(await attempt(t, ws_url, { headers, connection: route, protocols: ['binary', ticket] }), 404);
}

async function shareLink(t: TestContext, { proxy, customer, route, vmId }: Env): Promise<void> {
  const { url } = await customer.ask('POST', `/v1/vm/${vmId}/console-shares`, { mode: 'read_write' });
  const [page, secret] = url.split('#') as [string, string];
  assert.ok(page.startsWith(`${proxy.baseUrl}/share/`), page);
  const { pathname } = new URL(page);
  assert.match((await customer.send('GET', pathname)).text, /<script[^>]* src="\/share\/assets\/share\.js/);
  for (const name of ['share.js', 'xterm.mjs'])
    assert.match(
      (await customer.send('GET', `/share/assets/${name}`)).headers.get('content-type')!,
      /javascript/,
    );
  const viewer = await open(t, `${page.replace(/^http/, 'ws')}/socket`, {
    headers: { origin: proxy.baseUrl },
    connection: route,
    protocols: ['vauban.share', secret],
  });
  await viewer.says('debian@web');
  viewer.type('pwd\r');
  await viewer.says('/home/debian');
  viewer.ws.close();
}

/** The run works until the machine is switched off, which happens only after its first events have arrived. */
async function agentEvents(t: TestContext, { customer, vmId }: Env): Promise<void> {
  const path = `/v1/vm/${vmId}/ai-agent`;
  const begin = async (body: object) => {
    const hangUp = new AbortController();
    defer(t, () => hangUp.abort());
    return new EventReader(await customer.begin('POST', path, { body }, hangUp.signal), hangUp);
  };
  const asked = await (await begin({ message: 'Run `sleep 20000`' })).all();
  const approval = { id: asked.at(-2)!.approval_id, decision: 'approve' };
  const run = await begin({ approval });
  await run.until('command.started');
  assert.equal((await customer.ask('GET', `${path}/status`)).state, 'running');
  await customer.ask('POST', `/v1/vm/${vmId}/force-stop`);
  const events = await run.all();
  assert.equal(events.at(-1)!.stop_reason, 'canceled');
}
