// Runs on the embedded engine only: the buckets of networks are in memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCurrent } from '../../server/http/caching.ts';
import { send } from '../chaos/support/customer.ts';
import { startInProcess } from '../chaos/support/in-process.ts';
import { openPanel, TestBrowser } from '../panel/support/panel.ts';
import { burst, policyOf, rateOf } from './support.ts';

const LIMIT = 20;

test('routes that need no key have a bucket of their own for each network', async (t) => {
  const env = { VAUBAN_RATE_LIMIT_OPEN: String(LIMIT), VAUBAN_TRUST_PROXY: '127.0.0.1' };
  const service = await startInProcess(t, { env });
  const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } });
  const get = (path: string, ip: string) =>
    fetch(service.baseUrl + path, { ...from(ip), redirect: 'manual' }).then(async (reply) => {
      await reply.arrayBuffer();
      return reply;
    });
  /** Sends requests until the limit is used up; none of them may be refused. */
  const spend = async (ip: string, paths: string[]) => {
    for (let n = 0; n < LIMIT; n++) {
      const { status } = await get(paths[n % paths.length]!, ip);
      assert.notEqual(status, 429, `request ${n + 1} for ${paths[n % paths.length]}`);
    }
  };

  await t.test('all of them share it, and other routes are not counted there', async () => {
    const ip = '203.0.113.1';
    await spend(ip, ['/openapi.json', '/docs/', '/llms.txt', '/panel/logo', '/panel', '/share/shr_x']);
    for (const path of [
      '/openapi.json',
      '/docs/x',
      '/llms-full.txt',
      '/panel/logo',
      '/panel/x',
      '/operator/',
    ]) {
      const reply = await send(service, 'GET', path, from(ip));
      assert.equal(policyOf(reply), 'ip', path);
      const { limit, remaining } = rateOf(reply);
      assert.deepEqual({ limit, remaining }, { limit: LIMIT, remaining: 0 }, path);
    }
    const elsewhere = rateOf(await send(service, 'GET', '/v1/vm', from(ip)));
    assert.deepEqual([elsewhere.status, elsewhere.limit], [401, 300]);
    for (const path of ['/healthz', '/readyz']) assert.equal((await get(path, ip)).status, 200);
    service.clock.advance(60_000);
    assert.equal((await get('/openapi.json', ip)).status, 200);
  });

  await t.test('requests without a valid key use none of it up', async () => {
    const ip = '203.0.113.2';
    await burst(301, () => send(service, 'GET', '/v1/vm', from(ip)));
    const reply = await get('/openapi.json', ip);
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.has('x-ratelimit-limit'), false, 'caches keep it for other readers');
  });

  await t.test('an IPv6 address shares it with its /64', async () => {
    await spend('2001:db8:0:1::1', ['/openapi.json']);
    assert.equal((await get('/openapi.json', '2001:db8:0:1:ffff::2')).status, 429);
    assert.equal((await get('/openapi.json', '2001:db8:0:2::1')).status, 200);
  });
});

test('programs with a wrong key do not keep the people of their network out of the panel', async (t) => {
  const panel = await openPanel(t, { VAUBAN_RATE_LIMIT_IP: '300' });
  const browser = new TestBrowser(panel);
  await burst(301, () => send(panel, 'GET', '/v1/vm'));
  const wrong = { email: 'ada@example.com', password: 'not the password' };
  const { status, error } = await browser.ask('POST', '/sign-in', { body: wrong });
  assert.deepEqual([status, error?.code], [401, 'sign_in_failed']);
  // Nor the other way round: reloading the sign-in page leaves the programs their requests.
  await burst(301, () => send(panel, 'GET', '/panel/api/session'));
  assert.equal((await send(panel, 'GET', '/panel/api/session')).status, 429);
  assert.equal(rateOf(await send(panel, 'GET', '/v1/vm')).status, 401);
  panel.clock.advance(60_000);
  assert.equal(rateOf(await send(panel, 'GET', '/v1/vm')).remaining, 299);
});

test('without a configured proxy no caller chooses the address that is counted', async (t) => {
  const service = await startInProcess(t, { env: { VAUBAN_RATE_LIMIT_OPEN: '2' } });
  const statuses: number[] = [];
  for (let n = 0; n < 3; n++) {
    const headers = { 'x-forwarded-for': `203.0.113.${n}` };
    statuses.push((await fetch(`${service.baseUrl}/openapi.json`, { headers })).status);
  }
  assert.deepEqual(statuses, [200, 200, 429]);
});

test('a cached reply is found by its entity tag, in any list', () => {
  const known = (header: string | undefined, etag: string) =>
    isCurrent(header === undefined ? {} : { 'if-none-match': header }, etag);
  assert.equal(known(undefined, '"a"'), false);
  for (const header of [
    '"a"',
    ' "a" ',
    '"b","a"',
    '"b" , "a"',
    '"b",\t"a",',
    'W/"a"',
    '*',
    `a${' '.repeat(15_500)}, "a"`,
  ])
    assert.equal(known(header, '"a"'), true, header.slice(0, 20));
  assert.equal(known('"a"', 'W/"a"'), true);
  for (const header of ['', '"b"', 'a', '"a', 'w/"a"', ',', `a${' '.repeat(15_500)}`])
    assert.equal(known(header, '"a"'), false, header.slice(0, 20));
});
