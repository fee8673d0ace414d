import assert from 'node:assert/strict';
import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { json } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import Fastify from 'fastify';
import { isLocal } from '../../server/http/operator/local-caller.ts';
import { VERSION } from '../../server/platform/version.ts';
import { startInProcess } from '../chaos/support/in-process.ts';
import { defer } from '../support/cleanup.ts';

const STRANGER = '203.0.113.7';

/** Returns a function that asks a server with these trusted proxies whether a caller at `remoteAddress` is local. */
function asker(t: TestContext, trustProxy: string[] | false) {
  const app = Fastify({ trustProxy });
  app.get('/', async (request) => isLocal(request));
  defer(t, () => app.close());
  return async (remoteAddress: string, headers: Record<string, string | string[]> = {}) =>
    (await app.inject({ url: '/', remoteAddress, headers: headers as Record<string, string> })).json();
}

test('without a proxy, only loopback is local, in every spelling', async (t) => {
  const ask = asker(t, false);
  for (const ip of ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'])
    assert.equal(await ask(ip), true, ip);
  for (const ip of [
    STRANGER,
    '10.0.0.1',
    '0.0.0.0',
    '169.254.0.1',
    '::',
    '::2',
    'fe80::1',
    '::ffff:10.0.0.1',
    '2001:db8::1',
  ])
    assert.equal(await ask(ip), false, ip);
});

test('a request forwarded by an untrusted proxy is never local, with any headers', async (t) => {
  for (const trusted of [false, ['10.0.0.0/8']] as const) {
    const ask = asker(t, trusted && [...trusted]);
    for (const header of [
      'x-forwarded-for',
      'forwarded',
      'x-real-ip',
      'via',
      'x-forwarded-host',
      'x-forwarded',
    ])
      for (const value of [STRANGER, '127.0.0.1', '::1', 'for=127.0.0.1', 'localhost', 'unknown', ''])
        for (const proxy of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
          assert.equal(await ask(proxy, { [header]: value }), false, `${header}: ${value}`);
  }
});

test('behind a trusted proxy, the address that it forwards for decides', async (t) => {
  const ask = asker(t, ['127.0.0.1', '::1']);
  const forwarded = (value: string | string[]) => ask('127.0.0.1', { 'x-forwarded-for': value });
  for (const value of [
    STRANGER,
    '2001:db8::1',
    '10.0.0.1',
    '::ffff:203.0.113.7',
    'unknown',
    '',
    ' ',
    ',',
    `${STRANGER}:443`,
  ])
    assert.equal(await forwarded(value), false, value);
  for (const value of ['127.0.0.1', '::1', '127.0.0.1, ::1'])
    assert.equal(await forwarded(value), true, value);
  assert.equal(await ask('::1', { 'x-forwarded-for': '::1' }), true);
  assert.equal(await ask('::1', { 'x-forwarded-for': '2001:db8::1' }), false);
  // A local caller: the proxy would have added a header.
  assert.equal(await ask('127.0.0.1'), true);
});

test('a stranger cannot add a hop that makes them local', async (t) => {
  const ask = asker(t, ['127.0.0.1', '10.0.0.0/8']);
  for (const chain of [
    `127.0.0.1, ${STRANGER}`,
    `${STRANGER}, 127.0.0.1`,
    '127.0.0.1, 10.0.0.7',
    `127.0.0.1, ${STRANGER}, 10.0.0.7`,
  ])
    assert.equal(await ask('127.0.0.1', { 'x-forwarded-for': chain }), false, chain);
  const twice = { 'x-forwarded-for': ['127.0.0.1', STRANGER] };
  assert.equal(await ask('127.0.0.1', twice), false);
  // A proxy on another host is not local, even if it forwards a local request.
  assert.equal(await ask('10.0.0.7', { 'x-forwarded-for': '127.0.0.1' }), false);
  for (const header of ['forwarded', 'via', 'x-real-ip'])
    assert.equal(await ask('127.0.0.1', { 'x-forwarded-for': '127.0.0.1', [header]: STRANGER }), false);
});

/** Sends one GET to a running service with its own Host header. */
function get(baseUrl: string, path: string, { host = '', headers = {} } = {}) {
  const url = new URL(path, baseUrl);
  if (host) url.hostname = host.includes(':') ? `[${host}]` : host;
  return new Promise<{ status: number | undefined; body: Record<string, unknown> }>((resolve, reject) => {
    const outgoing = request(url, { headers, agent: false });
    outgoing.on('error', reject).on('response', async (response) => {
      resolve({ status: response.statusCode, body: (await json(response)) as Record<string, unknown> });
    });
    outgoing.end();
  });
}

/** Returns an address of this machine that is not loopback, if there is one. */
function outerAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address;
}

const PLAIN = { status: 200, body: { status: 'ready', failing: [] } };

test('the public listener shows the parts to this machine, over IPv4 and IPv6, and to others the plain answer', async (t) => {
  const { baseUrl } = await startInProcess(t, { env: { VAUBAN_LISTEN: '[::]:0' } });
  for (const host of ['127.0.0.1', '::1']) {
    assert.deepEqual(await get(baseUrl, '/readyz', { host }), PLAIN);
    for (const query of ['verbose', 'verbose=', 'verbose=1', 'a=b&verbose']) {
      const { status, body } = await get(baseUrl, `/readyz?${query}`, { host });
      assert.equal(status, 200);
      assert.equal(body.version, VERSION);
    }
    assert.deepEqual(await get(baseUrl, '/readyz?verbos', { host }), PLAIN);
    const headers = { 'x-forwarded-for': '127.0.0.1' };
    assert.deepEqual(await get(baseUrl, '/readyz?verbose', { host, headers }), PLAIN);
  }
  const host = outerAddress();
  if (!host) return t.diagnostic('this machine has no address but loopback');
  assert.deepEqual(await get(baseUrl, '/readyz?verbose', { host }), PLAIN);
});

test('a proxy on this machine shows strangers the plain answer', async (t) => {
  const { baseUrl } = await startInProcess(t, { env: { VAUBAN_TRUST_PROXY: '127.0.0.1' } });
  const ask = (ip: string) => get(baseUrl, '/readyz?verbose', { headers: { 'x-forwarded-for': ip } });
  assert.deepEqual(await ask(STRANGER), PLAIN);
  assert.deepEqual(await ask('2001:db8::1'), PLAIN);
  assert.deepEqual(await ask(`127.0.0.1, ${STRANGER}`), PLAIN);
  assert.equal((await ask('127.0.0.1')).body.version, VERSION);
  assert.equal((await get(baseUrl, '/readyz?verbose')).body.version, VERSION);
});
