import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import type { Customer } from '../jobs/support/customer.ts';
import { Fixture } from '../jobs/support/fixture.ts';
import { buyVm, comes, renewalsOf, tenant, vmOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';

const PERIOD_END = '2026-02-01T00:00:00Z';

const patch = (customer: Customer, id: string, body: object) =>
  customer.must({ method: 'PATCH', path: `/v1/vm/${id}`, body });

/** Three VMs at 6.99 each, and money left to renew `renewals` of them. */
async function threeVms(t: Parameters<typeof Fixture.open>[0], renewals: bigint) {
  const fixture = await Fixture.open(t, '2026-01-01T00:00:00Z');
  const customer = await tenant(fixture, (3n + renewals) * 699n);
  const ids: string[] = [];
  for (const renewal_priority of [undefined, 1000, 1])
    ids.push(await buyVm(fixture, customer, { renewal_priority }));
  return { fixture, customer, ids: ids as [string, string, string] };
}

test("if money is short the owner's ranking decides", async (t) => {
  const { fixture, customer, ids } = await threeVms(t, 2n);
  const [first, second, third] = ids;
  const priorities = await Promise.all(
    ids.map(async (id) => (await customer.must({ method: 'GET', path: `/v1/vm/${id}` })).renewal_priority),
  );
  assert.deepEqual(priorities, [100, 1000, 1]);
  const changed = await patch(customer, first, { renewal_priority: 1000 });
  assert.equal(changed.renewal_priority, 1000);
  await patch(customer, second, { renewal_priority: 2 });
  await comes(fixture, PERIOD_END);
  assert.deepEqual(await Promise.all(ids.map((id) => renewalsOf(fixture, id))), [[], [699n], [699n]]);
  assert.equal((await vmOf(fixture, third)).unpaid_since, null);
  await assertInvariants(fixture.db);
});

test('a VM that is busy when it falls due does not lose its place', async (t) => {
  const { fixture, customer, ids } = await threeVms(t, 1n);
  const [, , preferred] = ids;
  fixture.installation.services.clock.set(new Date('2026-01-31T23:59:59Z'));
  await customer.must({ method: 'POST', path: `/v1/vm/${preferred}/reboot` });
  fixture.installation.services.clock.set(new Date(PERIOD_END));
  await renewVms(fixture.installation.services);
  assert.deepEqual(await Promise.all(ids.map((id) => renewalsOf(fixture, id))), [[], [], []]);
  await fixture.finish();
  await comes(fixture, PERIOD_END);
  assert.deepEqual(await Promise.all(ids.map((id) => renewalsOf(fixture, id))), [[], [], [699n]]);
});

test('an invalid rank is refused', async (t) => {
  const { customer, ids } = await threeVms(t, 0n);
  for (const renewal_priority of [0, 1001, 1.5, '1', null]) {
    const { status, error } = await customer.call({
      method: 'PATCH',
      path: `/v1/vm/${ids[0]}`,
      body: { renewal_priority },
    });
    assert.equal(status, 422);
    assert.equal((error!.details!.fields as { field: string }[])[0]!.field, 'renewal_priority');
  }
});
