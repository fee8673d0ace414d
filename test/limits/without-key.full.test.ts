import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateKey } from '../../server/access/api-key.ts';
import { LocalLimitStore, RateLimiter } from '../../server/access/rate-limits.ts';
import type { Database, Sql } from '../../server/db/database.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { newCustomer, newKey, operate, type Request, send } from '../chaos/support/customer.ts';
import { START, startInProcess } from '../chaos/support/in-process.ts';
import { burst, rateOf, statuses } from './support.ts';

const PLANS = '/v1/public/plans';
const withKey = (key: string): Request => ({ headers: { authorization: `Bearer ${key}` } });

test('the limit of requests without a valid key', async (t) => {
  const service = await startInProcess(t);

  await t.test(
    'a failed authentication never costs an account anything and is counted for its address',
    async () => {
      const customer = await newCustomer(service);
      const { accountId } = customer;
      const expiring = await newKey(service, accountId, {
        expires_at: new Date(service.clock.now().getTime() + 1_000),
      });
      const elsewhere = await newKey(service, accountId, { allow_cidrs: ['203.0.113.7'] });
      const revoked = await newKey(service, accountId);
      await operate(service, `/keys/${revoked.id}/revoke`, {});
      service.clock.advance(1_000);
      const attempts: [string, Request][] = [
        ['api_key_missing', {}],
        ['api_key_invalid', withKey('vk_nonsense')],
        ['api_key_invalid', withKey(generateKey())],
        ['api_key_invalid', { headers: { authorization: `Basic ${customer.key}` } }],
        ['api_key_invalid', withKey(revoked.key)],
        ['api_key_expired', withKey(expiring.key)],
        ['ip_not_allowed', withKey(elsewhere.key)],
      ];
      for (const [index, [code, request]] of attempts.entries()) {
        const reply = await send(service, 'GET', PLANS, request);
        assert.equal(reply.json.error.code, code);
        assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
        const { status, limit, remaining } = rateOf(reply);
        assert.deepEqual({ status, limit, remaining }, { status: 401, limit: 300, remaining: 299 - index });
      }
      const rate = rateOf(await customer.send('GET', PLANS));
      assert.deepEqual([rate.limit, rate.remaining], [120, 119]);
    },
  );

  await t.test(
    'an address has 300 requests a window without a key, and a good key from there is untouched by them',
    async () => {
      const customer = await newCustomer(service);
      service.clock.set(new Date(Date.parse(START) + 119_001));
      const replies = await burst(350, () => send(service, 'GET', '/v1/vm/anything', withKey(generateKey())));
      // Beyond the limit the error is still the wrong key, and no reply says when to retry.
      assert.deepEqual(statuses(replies), { 401: 350 });
      const refused = await send(service, 'GET', '/v1/vm');
      assert.equal(refused.json.error.code, 'api_key_missing');
      assert.equal(refused.headers.get('www-authenticate'), 'Bearer');
      const reset = Date.parse(START) / 1000 + 120;
      assert.deepEqual(rateOf(refused), { status: 401, limit: 300, remaining: 0, reset, retryAfter: null });
      const guessed = await send(service, 'GET', '/v1/vm', withKey(generateKey()));
      assert.equal(guessed.json.error.code, 'api_key_invalid');
      assert.equal(rateOf(await customer.send('GET', PLANS)).remaining, 119);
      service.clock.advance(999);
      assert.equal(rateOf(await send(service, 'GET', '/v1/vm')).remaining, 299);
    },
  );

  await t.test(
    'without a configured proxy a client cannot choose the address that it is counted for',
    async () => {
      service.clock.advance(60_000);
      const spoofed = (ip: string) => send(service, 'GET', '/v1/vm', { headers: { 'x-forwarded-for': ip } });
      assert.equal(rateOf(await spoofed('203.0.113.7')).remaining, 299);
      assert.equal(rateOf(await spoofed('203.0.113.8')).remaining, 298);
    },
  );
});

test('an IPv4 address is counted separately, an IPv6 address with its /64, in any notation', async (t) => {
  const service = await startInProcess(t, { env: { VAUBAN_TRUST_PROXY: '127.0.0.1' } });
  const remainingFor = async (ip: string) =>
    rateOf(await send(service, 'GET', '/v1/vm', { headers: { 'x-forwarded-for': ip } })).remaining;
  const asked: [string, number][] = [
    ['203.0.113.7', 299],
    ['203.0.113.8', 299],
    ['::ffff:203.0.113.7', 298],
    ['2001:db8:0:1::1', 299],
    ['2001:db8:0:1:ffff:ffff:ffff:ffff', 298],
    ['2001:DB8::1:0:0:0:2', 297],
    ['2001:db8:0:2::1', 299],
  ];
  for (const [ip, remaining] of asked) assert.equal(await remainingFor(ip), remaining, ip);
});

/** Returns a database that records every look-up of a key. */
function noting(db: Database, lookUps: string[]): Database {
  return {
    ...db,
    query<Row extends object>(statement: Sql) {
      if (/from api_keys where hash/i.test(statement.text)) lookUps.push(statement.text);
      return db.query<Row>(statement);
    },
  };
}

test('refused requests cost the database nothing, and do not affect our own keys', async (t) => {
  const lookUps: string[] = [];
  const service = await startInProcess(t, { watch: (db) => noting(db, lookUps) });
  const customer = await newCustomer(service);
  const revoked = await newKey(service, customer.accountId);
  await operate(service, `/keys/${revoked.id}/revoke`, {});
  const guess = () => send(service, 'GET', '/v1/vm', withKey(generateKey()));
  assert.deepEqual(statuses(await burst(400, guess)), { 401: 400 });
  assert.equal(lookUps.length, 300);
  assert.deepEqual(statuses(await burst(100, guess)), { 401: 100 });
  assert.equal(lookUps.length, 300);
  // First use of this key, from an address whose budget is used up.
  assert.equal((await customer.send('GET', PLANS)).status, 200);
  assert.equal(lookUps.length, 301);
  // A revoked key is looked up only once.
  const dead = () => send(service, 'GET', '/v1/vm', withKey(revoked.key));
  for (let n = 0; n < 5; n++) assert.equal((await dead()).status, 401);
  assert.equal(lookUps.length, 302);
});

test('the networks that are counted are bounded', () => {
  const clock = new ManualClock();
  const limits = { key: 1, account: 1, ip: 2, open: 1 };
  const limiter = new RateLimiter(limits, new LocalLimitStore(1), clock, { maxNetworks: 3 });
  for (const network of ['a', 'a', 'b', 'c']) assert.equal(limiter.takeIp(network).allowed, true);
  assert.equal(limiter.isIpSpent('a'), true);
  // A fourth address replaces the one that was seen first.
  limiter.takeIp('d');
  assert.equal(limiter.isIpSpent('a'), false);
  assert.equal(limiter.takeIp('d').remaining, 0);
  assert.equal(limiter.takeIp('b').remaining, 0);
});
