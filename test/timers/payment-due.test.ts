import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Customer } from '../jobs/support/customer.ts';
import { Fixture } from '../jobs/support/fixture.ts';
import { buyVm, comes, eventsOf, powerOf, renewalsOf, tenant, vmOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';

const PERIOD_END = '2026-02-01T00:00:00Z';

/** A customer with a VM of plan s1 (3.99) since 1 January, and `rest` in the wallet. */
async function shopkeeper(t: TestContext, rest = 0n) {
  const fixture = await Fixture.open(t, '2026-01-01T00:00:00Z');
  const customer = await tenant(fixture, 399n + rest);
  const id = await buyVm(fixture, customer, { plan: 's1' });
  const at = (instant: string) => fixture.installation.services.clock.set(new Date(instant));
  return { fixture, customer, id, at };
}

/** Returns the results of quotes and options for another size now. */
async function offers(customer: Customer, id: string): Promise<string[]> {
  const path = `/v1/vm/${id}`;
  const quote = (query: string) => customer.must({ method: 'GET', path: `${path}/plan-quote?${query}` });
  const options = await customer.must({ method: 'GET', path: `${path}/plan-options?all=true` });
  const d8 = options.find(({ plan }: { plan: { code: string } }) => plan.code === 'd8');
  const quotes = [await quote('plan=d8'), await quote('vcpu=2')];
  return [...quotes.map(({ allowed, blockers }) => (allowed ? 'allowed' : blockers[0].code)), optionCode(d8)];
}

const optionCode = ({ allowed, blocker }: { allowed: boolean; blocker: { code: string } | null }) =>
  allowed ? 'allowed' : blocker!.code;

/** The same, and the results of orders. */
async function answers(customer: Customer, id: string): Promise<string[]> {
  const order = async (kind: string, wish: object) => {
    const body = { ...wish, allow_reboot: true, max_charge_minor: 0 };
    const { status, error } = await customer.call({ method: 'POST', path: `/v1/vm/${id}/${kind}`, body });
    return `${status} ${error?.code}`;
  };
  const orders = [await order('change-plan', { plan: 'd8' }), await order('change-custom', { vcpu: 2 })];
  return [...(await offers(customer, id)), ...orders];
}

const refused = (code: string) => [code, code, code, `409 ${code}`, `409 ${code}`];

test('after the end of its period the size of a VM cannot be changed, by quote, options or orders', async (t) => {
  const { fixture, customer, id, at } = await shopkeeper(t);
  at('2026-01-31T23:59:59.999Z');
  assert.deepEqual(await offers(customer, id), ['allowed', 'allowed', 'allowed']);
  for (const instant of [PERIOD_END, '2026-02-03T23:59:59Z', '2026-02-04T00:00:00Z']) {
    at(instant);
    assert.deepEqual(await answers(customer, id), refused('payment_due'), `${instant}, before the sweep`);
    if (instant === PERIOD_END) await comes(fixture, instant);
    assert.deepEqual(await answers(customer, id), refused('payment_due'), instant);
  }
  await comes(fixture, '2026-02-04T00:00:00Z');
  assert.equal((await vmOf(fixture, id)).status, 'suspended');
  assert.deepEqual(await answers(customer, id), refused('vm_suspended'), 'suspended');
  await customer.topUp(500_00n);
  await comes(fixture, '2026-02-05T00:00:00Z');
  assert.deepEqual(await offers(customer, id), ['allowed', 'allowed', 'allowed'], 'paid again');
});

test('an upgrade shortly before the end of a period has no grace', async (t) => {
  const { fixture, customer, id, at } = await shopkeeper(t, 1n);
  at('2026-01-31T23:59:59Z');
  const body = { plan: 'd8', allow_reboot: true, max_charge_minor: 1 };
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/change-plan`, body });
  await fixture.finish();
  assert.equal(await powerOf(fixture, id), 'running');
  await comes(fixture, PERIOD_END);
  assert.equal((await vmOf(fixture, id)).status, 'suspended');
  assert.equal(await powerOf(fixture, id), 'off');
  assert.deepEqual(await eventsOf(fixture, id, PERIOD_END), ['billing.unpaid', 'vm.suspended']);
  await assertInvariants(fixture.db);
});

const upgrade = ['change-plan', { plan: 's2' }] as const;
const downgrade = ['change-custom', { vcpu: 1, ram_mb: 1024 }] as const;

for (const [what, instant, [kind, wish], status] of [
  ['an upgrade as long before the end as the grace lasts', '2026-01-29T00:00:00Z', upgrade, 'running'],
  ['an upgrade a second later', '2026-01-29T00:00:01Z', upgrade, 'suspended'],
  ['a downgrade at any time', '2026-01-31T23:59:59Z', downgrade, 'running'],
] as const) {
  test(`${what} leaves the VM ${status} at the end`, async (t) => {
    const fixture = await Fixture.open(t, '2026-01-01T00:00:00Z');
    const customer = await tenant(fixture, 750n);
    const id = await buyVm(fixture, customer, { plan: kind === 'change-plan' ? 's1' : 's2' });
    fixture.installation.services.clock.set(new Date(instant));
    const body = { ...wish, allow_reboot: true };
    await customer.must({ method: 'POST', path: `/v1/vm/${id}/${kind}`, body });
    await fixture.finish();
    await comes(fixture, PERIOD_END);
    assert.deepEqual(await renewalsOf(fixture, id), [], 'the renewal is not covered');
    assert.equal((await vmOf(fixture, id)).status, status);
  });
}
