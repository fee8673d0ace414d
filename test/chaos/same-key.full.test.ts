// Runs on both engines: transactions interleave differently.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertInvariants } from '../support/invariants.ts';
import { startService } from '../support/service.ts';
import { newCustomer } from './support/customer.ts';
import { ask, assertOnce, changeCustom, changePlan, create, remove } from './support/operations.ts';

const CREDIT_MINOR = 10_000;
const AT_ONCE = 50;

test('of fifty requests with one key one does the work, and the others report its result or that it is running', async (t) => {
  const service = await startService(t, {
    env: {
      VAUBAN_SIMULATOR_BOOT_SECONDS: '0',
      VAUBAN_RATE_LIMIT_KEY: '1000000',
      VAUBAN_RATE_LIMIT_ACCOUNT: '1000000',
    },
  });
  const customer = await newCustomer(service, { credit: String(CREDIT_MINOR / 100) });
  let vmId = '';
  for (const operation of [create, changePlan, changeCustom, remove]) {
    const again = () => ask(customer, operation, vmId, `one-${operation.name.replace(' ', '-')}`);
    const replies = await Promise.all(Array.from({ length: AT_ONCE }, again));
    const done = replies.filter(({ status }) => status === 200);
    const waiting = replies.filter(({ json }) => json.error?.code === 'idempotency_in_progress');
    assert.equal(done.length + waiting.length, AT_ONCE, replies.find(({ status }) => status >= 500)?.text);
    const originals = done.filter(({ headers }) => !headers.has('idempotent-replayed'));
    assert.equal(originals.length, 1, operation.name);
    assert.equal(new Set(done.map(({ text }) => text)).size, 1, 'a replay is the same to the byte');
    for (const { json } of waiting) assert.equal(json.error.details.retry_after_seconds, 1);
    vmId = originals[0]!.json.data.vm.id;
    await customer.settled(vmId);
    const late = await again();
    assert.equal(late.text, originals[0]!.text);
    await assertOnce(customer, operation, late, CREDIT_MINOR);
  }
  await service.stop();
  const db = await service.location.open();
  await assertInvariants(db).finally(() => db.close());
});
