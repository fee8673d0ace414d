import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Customer, newCustomer, newKey, type Target } from '../chaos/support/customer.ts';
import { startInProcess } from '../chaos/support/in-process.ts';
import { burst, policyOf, rateOf, statuses } from './support.ts';

const PLANS = '/v1/public/plans';

async function another(target: Target, { accountId }: Customer): Promise<Customer> {
  return new Customer(target, accountId, await newKey(target, accountId));
}

test('the limits of a key and its account', async (t) => {
  const service = await startInProcess(t);
  /** Returns the end of the window in seconds since 1970. */
  const nextMinute = () => (Math.floor(service.clock.now().getTime() / 60_000) + 1) * 60;

  await t.test('a key has 120 requests a window: the 121st is refused until the window ends', async () => {
    const customer = await newCustomer(service);
    const reset = nextMinute();
    service.clock.advance(17_250);
    for (let left = 119; left >= 0; left--) {
      const rate = rateOf(await customer.send('GET', PLANS));
      assert.deepEqual(rate, {
        status: 200,
        limit: 120,
        remaining: left,
        reset,
        retryAfter: null,
      });
    }
    const refused = await customer.send('GET', PLANS);
    const whole = { status: 429, limit: 120, remaining: 0, reset };
    assert.deepEqual(rateOf(refused), { ...whole, retryAfter: 43 });
    assert.equal(policyOf(refused), 'key');
    service.clock.set(new Date(reset * 1000 - 1));
    assert.deepEqual(rateOf(await customer.send('GET', PLANS)), { ...whole, retryAfter: 1 });
    service.clock.advance(1);
    assert.deepEqual(rateOf(await customer.send('GET', PLANS)), {
      status: 200,
      limit: 120,
      remaining: 119,
      reset: reset + 60,
      retryAfter: null,
    });
  });

  await t.test(
    "three keys of an account share its limit of 300, and a key's own refusals do not count towards the account",
    async () => {
      const first = await newCustomer(service);
      const [second, third] = [await another(service, first), await another(service, first)];
      assert.deepEqual(statuses(await burst(150, () => first.send('GET', PLANS))), { 200: 120, 429: 30 });
      assert.deepEqual(statuses(await burst(120, () => second.send('GET', PLANS))), { 200: 120 });
      // The account has 60 left, the key more: the headers show the account's.
      const { limit, remaining } = rateOf(await third.send('GET', PLANS));
      assert.deepEqual({ limit, remaining }, { limit: 300, remaining: 59 });
      assert.deepEqual(statuses(await burst(80, () => third.send('GET', PLANS))), { 200: 59, 429: 21 });
      const byAccount = await third.send('GET', PLANS);
      assert.deepEqual(
        { ...rateOf(byAccount), policy: policyOf(byAccount) },
        {
          status: 429,
          limit: 300,
          remaining: 0,
          reset: nextMinute(),
          retryAfter: nextMinute() - service.clock.now().getTime() / 1000,
          policy: 'account',
        },
      );
      assert.equal(policyOf(await first.send('GET', PLANS)), 'key');
      const stranger = await newCustomer(service);
      assert.equal(rateOf(await stranger.send('GET', PLANS)).remaining, 119);
    },
  );

  await t.test('the headers report the nearest limit', async () => {
    const first = await newCustomer(service);
    const [second, third] = [await another(service, first), await another(service, first)];
    const shown = async (customer: Customer) => {
      const { limit, remaining } = rateOf(await customer.send('GET', PLANS));
      return `${remaining} of ${limit}`;
    };
    assert.equal(await shown(first), '119 of 120');
    await burst(119, () => second.send('GET', PLANS));
    await burst(61, () => third.send('GET', PLANS));
    // The account has as many left as the key, but its window ends no later: the headers show the key's.
    assert.equal(await shown(first), '118 of 120');
    await third.send('GET', PLANS);
    assert.equal(await shown(first), '116 of 300');
    assert.equal(await shown(third), '57 of 120');
    assert.equal(await shown(second), '0 of 120');
  });

  await t.test('every request of a valid key is counted: 403, 404, 405, 400, 413, 415, 422', async () => {
    const customer = await newCustomer(service);
    const narrow = new Customer(
      service,
      customer.accountId,
      await newKey(service, customer.accountId, { scopes: ['catalog:read'] }),
    );
    const vm = { plan: 's1', template: 'debian-12', hostname: 'web-1' };
    const asked = [
      await narrow.send('GET', '/v1/vm'),
      await narrow.send('GET', '/v1/nothing'),
      await narrow.send('DELETE', PLANS),
      await customer.send('GET', '/v1/vm/vm_00000000000000000000000000'),
      await customer.send('POST', '/v1/vm', { body: vm }),
      await customer.send('POST', '/v1/vm', { body: { ...vm, plan: 7 }, idempotencyKey: 'a' }),
      await customer.send('POST', '/v1/vm', { body: 'x'.repeat(300_000), idempotencyKey: 'a' }),
      await customer.send('POST', '/v1/vm', {
        headers: { 'content-type': 'text/plain' },
        body: vm,
        idempotencyKey: 'a',
      }),
      await customer.send('GET', '/v1/vm?limit=0'),
    ];
    assert.deepEqual(
      asked.map(rateOf).map(({ status, remaining }) => [status, remaining]),
      [
        [403, 119],
        [404, 118],
        [405, 117],
        [404, 119],
        [400, 118],
        [422, 117],
        [413, 116],
        [415, 115],
        [422, 114],
      ],
    );
  });

  await t.test('a replayed reply is counted and tells the present limits', async () => {
    const customer = await newCustomer(service);
    const create = () =>
      customer.send('POST', '/v1/vm', {
        body: { plan: 's1', template: 'debian-12', hostname: 'web-1' },
        idempotencyKey: 'once',
      });
    const [first, replay] = [await create(), await create()];
    assert.equal(replay.text, first.text);
    assert.equal(replay.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual([rateOf(first).remaining, rateOf(replay).remaining], [119, 118]);
  });

  await t.test(
    'of 400 requests at once exactly 120 pass, and each remaining count is reported once',
    async () => {
      const customer = await newCustomer(service);
      const replies = await burst(400, () => customer.send('GET', PLANS));
      assert.deepEqual(statuses(replies), { 200: 120, 429: 280 });
      const told = replies.filter(({ status }) => status === 200).map((reply) => rateOf(reply).remaining);
      assert.deepEqual(
        told.sort((a, b) => a - b),
        Array.from({ length: 120 }, (_, i) => i),
      );
    },
  );
});
