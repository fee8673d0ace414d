import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { forAnotherNode, SHARED_SETTINGS, skipWithoutPostgres } from '../chaos/support/another-node.ts';
import { type ControlledService, startControlled } from '../chaos/support/controlled.ts';
import { Customer, newCustomer, newKey, operate } from '../chaos/support/customer.ts';
import { freshDatabaseLocation } from '../support/database.ts';
import { burst, policyOf, rateOf, statuses } from './support.ts';

const PLANS = '/v1/public/plans';
const options = { skip: skipWithoutPostgres };

/** Starts two service processes on one fresh database, with clocks that stand still at the same instant. */
async function twoNodes(t: TestContext): Promise<[ControlledService, ControlledService]> {
  const location = await freshDatabaseLocation(t);
  const other = await forAnotherNode(t, location);
  const shared = { now: '2026-01-01T00:00:30Z', env: SHARED_SETTINGS };
  return Promise.all([
    startControlled(t, { ...shared, location }),
    startControlled(t, { ...shared, location: other }),
  ]);
}

/** Returns the same customer at the other node. */
const at = (node: ControlledService, { accountId, key, keyId: id }: Customer) =>
  new Customer(node, accountId, { key, id });

test('two nodes share the limits of a key and of an account exactly', options, async (t) => {
  const [a, b] = await twoNodes(t);
  const customer = await newCustomer(a);
  const nodes = [customer, at(b, customer)];
  let turn = 0;
  const either = () => nodes[turn++ % 2]!.send('GET', PLANS);
  assert.deepEqual(statuses(await burst(400, either)), { 200: 120, 429: 280 });

  const account = await newCustomer(a);
  const keys = [account];
  for (let i = 0; i < 3; i++) {
    keys.push(new Customer(a, account.accountId, await newKey(a, account.accountId)));
  }
  const everywhere = keys.flatMap((one) => [one, at(b, one)]);
  const replies = await burst(640, () => everywhere[turn++ % everywhere.length]!.send('GET', PLANS));
  assert.deepEqual(statuses(replies), { 200: 300, 429: 340 });
  const refusals = replies.filter(({ status }) => status === 429).map(policyOf);
  assert.ok(refusals.includes('account'), 'four keys may send 480, their account 300');

  await a.advance(30_000);
  await b.advance(30_000);
  assert.equal(rateOf(await nodes[0]!.send('GET', PLANS)).remaining, 119);
  assert.equal(rateOf(await nodes[1]!.send('GET', PLANS)).remaining, 118);
});

test('a revocation takes effect within a second on every node', options, async (t) => {
  const [a, b] = await twoNodes(t);
  const customer = await newCustomer(a);
  const there = at(b, customer);
  assert.equal((await customer.send('GET', PLANS)).status, 200);
  assert.equal((await there.send('GET', PLANS)).status, 200);
  await operate(a, `/keys/${customer.keyId}/revoke`, {});
  for (const node of [a, b]) await node.advance(1_000);
  for (const one of [customer, there]) {
    assert.equal((await one.send('GET', PLANS)).json.error.code, 'api_key_invalid');
  }
});
