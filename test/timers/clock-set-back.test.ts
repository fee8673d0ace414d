import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Fixture } from '../jobs/support/fixture.ts';
import { buyVm, tenant } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';

const DAY_MS = 86_400_000;

/** A VM of plan s1 (3.99) since 1 January that was changed to d8 on 30 January. */
async function upgradedLate(t: TestContext, wish: object = {}) {
  const fixture = await Fixture.open(t, '2026-01-01T00:00:00Z');
  const customer = await tenant(fixture, 500_00n);
  const id = await buyVm(fixture, customer, { plan: 's1', ...wish });
  fixture.clock.set(new Date('2026-01-30T00:00:00Z'));
  const body = { plan: 'd8', allow_reboot: true, resize_disk: false };
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/change-plan`, body });
  await fixture.finish();
  const paid = 500_00n - (await customer.wallet()).available_minor;
  const givenUp = async () => {
    const { refund_minor } = await customer.must({ method: 'GET', path: `/v1/vm/${id}/delete-preview` });
    const deleted = await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
    assert.equal(deleted.refund.amount_minor, refund_minor);
    await fixture.finish();
    await assertInvariants(fixture.db);
    return 500_00n - (await customer.wallet()).available_minor;
  };
  return { fixture, customer, id, paid, givenUp };
}

for (const billing of ['monthly', 'hourly'])
  test(`after a late upgrade a clock that was set back never refunds more than was paid (${billing})`, async (t) => {
    const { fixture, paid, givenUp } = await upgradedLate(t, { billing });
    fixture.clock.putBack(28 * DAY_MS);
    const cost = await givenUp();
    assert.ok(cost >= 0n, `it has cost ${cost} of ${paid}`);
    // The time before the upgrade was used, whatever the clock shows now.
    if (billing === 'monthly') assert.ok(cost >= 370n, `it has cost ${cost}`);
  });

test('nor does a downgrade, by its quote', async (t) => {
  const { fixture, customer, id, paid } = await upgradedLate(t);
  const quote = () => customer.must({ method: 'GET', path: `/v1/vm/${id}/plan-quote?plan=s1` });
  const { net_minor } = await quote();
  fixture.clock.putBack(28 * DAY_MS);
  const { net_minor: since, ...rest } = await quote();
  assert.equal(since, net_minor, JSON.stringify(rest));
  assert.ok(-since < paid);
});

test('a clock that was set back by a moment changes nothing about the usage in between', async (t) => {
  const { fixture, givenUp } = await upgradedLate(t);
  const at = fixture.clock.now();
  fixture.clock.putBack(5 * 60_000);
  assert.ok(fixture.clock.now() < at);
  assert.ok((await givenUp()) >= 370n);
});
