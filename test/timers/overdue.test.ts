import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { findPlan } from '../../server/domain/catalog/lookup.ts';
import type { Customer } from '../jobs/support/customer.ts';
import { Fixture } from '../jobs/support/fixture.ts';
import { buyVm, comes, renewalsOf, tenant, vmOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';

const PERIOD_END = '2026-02-01T00:00:00Z';

const summaryOf = (customer: Customer) => customer.must({ method: 'GET', path: '/v1/billing/summary' });

/** Returns the amount displayed as due now, and the shortfall. */
async function duesOf(customer: Customer): Promise<[number, number]> {
  const { overdue_minor, shortfall_minor } = await summaryOf(customer);
  return [overdue_minor, shortfall_minor];
}

/** A customer with one VM of plan s2 for each wish, and `rest` in the wallet. */
async function owner(t: TestContext, rest: bigint, ...wishes: object[]) {
  const fixture = await Fixture.open(t, '2026-01-01T00:00:00Z');
  const customer = await tenant(fixture, BigInt(wishes.length) * 699n + rest);
  const ids: string[] = [];
  for (const wish of wishes) ids.push(await buyVm(fixture, customer, wish));
  return { fixture, customer, ids };
}

test('the overdue amount has the prices of the renewal, for the VMs that renew', async (t) => {
  const { fixture, customer, ids } = await owner(t, 100n, {}, { auto_renew: false }, {});
  findPlan(fixture.installation.services.catalog, 's2')!.price_monthly = '8.99';
  const wallet = await customer.must({ method: 'GET', path: '/v1/billing/wallet' });
  assert.deepEqual([wallet.burn_rate_monthly_minor, wallet.runway_days], [1798, 1]);
  assert.deepEqual(await duesOf(customer), [0, 0]);
  await comes(fixture, PERIOD_END);
  assert.deepEqual(await duesOf(customer), [1798, 1698]);
  await customer.topUp(1698n);
  assert.deepEqual(await duesOf(customer), [1798, 0]);
  await comes(fixture, PERIOD_END);
  assert.deepEqual(await duesOf(customer), [0, 0], 'what was asked for is enough');
  assert.deepEqual(await Promise.all(ids.map((id) => renewalsOf(fixture, id))), [[899n], [], [899n]]);
  await assertInvariants(fixture.db);
});

test('the overdue amount includes every missed month, before the VM was looked at', async (t) => {
  const { fixture, customer, ids } = await owner(t, 0n, {});
  fixture.installation.services.clock.set(new Date('2026-03-15T00:00:00Z'));
  assert.deepEqual(await duesOf(customer), [1398, 1398]);
  const { next_charges } = await summaryOf(customer);
  assert.equal(next_charges[0].amount_minor, 1398);
  await customer.topUp(1398n);
  await comes(fixture, '2026-03-15T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, ids[0]!), [699n, 699n]);
  assert.deepEqual(await duesOf(customer), [0, 0]);
});

test('a VM that was switched off owes the grace that it used, and no more', async (t) => {
  const { fixture, customer, ids } = await owner(t, 0n, {});
  await comes(fixture, PERIOD_END);
  await comes(fixture, '2026-02-04T00:00:00Z');
  for (const instant of ['2026-02-04T00:00:00Z', '2026-02-14T12:00:00Z']) {
    fixture.installation.services.clock.set(new Date(instant));
    assert.deepEqual(await duesOf(customer), [774, 774], instant);
  }
  const { next_charge_minor } = await customer.must({ method: 'GET', path: `/v1/vm/${ids[0]}/billing` });
  assert.equal(next_charge_minor, 774);
  await customer.topUp(773n);
  await comes(fixture, '2026-02-14T12:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, ids[0]!), [], 'one unit is lacking');
  await customer.topUp(1n);
  await comes(fixture, '2026-02-14T12:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, ids[0]!), [774n]);
  const [invoice] = await customer.must({ method: 'GET', path: '/v1/billing/invoices' });
  const { lines } = await customer.must({ method: 'GET', path: `/v1/billing/invoices/${invoice.id}` });
  assert.deepEqual(
    lines.map((line: Record<string, unknown>) => [
      line.amount_minor,
      line.from_at,
      line.to_at,
      line.proration,
    ]),
    [
      [75, '2026-02-01T00:00:00.000Z', '2026-02-04T00:00:00.000Z', true],
      [699, '2026-02-14T12:00:00.000Z', '2026-03-14T12:00:00.000Z', false],
    ],
  );
  await assertInvariants(fixture.db);
});

test('grace cannot be had for nothing, month after month', async (t) => {
  const { fixture, customer, ids } = await owner(t, 0n, {});
  const bought = new Date('2026-01-01T00:00:00Z').getTime();
  let paid = 699n;
  for (let month = 0; month < 12; month++) {
    const end = (await vmOf(fixture, ids[0]!)).billing_period_end_at.getTime();
    await comes(fixture, new Date(end).toISOString());
    await comes(fixture, new Date(end + 72 * 3_600_000).toISOString());
    assert.equal((await vmOf(fixture, ids[0]!)).status, 'suspended');
    const [due] = await duesOf(customer);
    await customer.topUp(BigInt(due));
    paid += BigInt(due);
    await comes(fixture, new Date(end + 72 * 3_600_000).toISOString());
    assert.equal((await vmOf(fixture, ids[0]!)).status, 'running');
  }
  const { billing_period_end_at: end } = await vmOf(fixture, ids[0]!);
  const months = (end.getTime() - bought) / (86_400_000 * 31);
  assert.ok(Number(paid) >= months * 699, `${paid} for ${months} of the longest months`);
  await assertInvariants(fixture.db);
});
