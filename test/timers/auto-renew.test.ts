import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import type { Customer } from '../jobs/support/customer.ts';
import { Fixture } from '../jobs/support/fixture.ts';
import { buyVm, comes, eventsOf, powerOf, renewalsOf, tenant, vmOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';

const PERIOD_END = '2026-02-01T00:00:00Z';

/** A customer with money, whose VM has this `auto_renew`. */
async function owner(t: TestContext, auto_renew: boolean, funds = 100_00n) {
  const fixture = await Fixture.open(t, '2026-01-01T00:00:00Z');
  const customer = await tenant(fixture, funds);
  const id = await buyVm(fixture, customer, { auto_renew });
  const patch = (body: object) => customer.call({ method: 'PATCH', path: `/v1/vm/${id}`, body });
  return { fixture, customer, id, patch };
}

async function messageOf(customer: Customer, id: string, type: string): Promise<string> {
  const [event] = await customer.must({ method: 'GET', path: `/v1/vm/${id}/events?type=${type}` });
  return event.message;
}

test('auto_renew is turned on and off, and nothing else changes', async (t) => {
  const { customer, id, patch } = await owner(t, true);
  const before = await customer.must({ method: 'GET', path: `/v1/vm/${id}` });
  const { status, data } = await patch({ auto_renew: false });
  assert.equal(status, 200);
  assert.deepEqual({ ...data, updated_at: 0 }, { ...before, auto_renew: false, updated_at: 0 });
  assert.equal((await patch({ auto_renew: true })).data.auto_renew, true);
  for (const auto_renew of ['true', 1, null]) assert.equal((await patch({ auto_renew })).status, 422);
  assert.equal((await customer.must({ method: 'GET', path: `/v1/vm/${id}` })).auto_renew, true);
});

test('a VM that was switched off because it did not renew returns when it does', async (t) => {
  const { fixture, customer, id, patch } = await owner(t, false);
  await comes(fixture, PERIOD_END);
  assert.equal((await vmOf(fixture, id)).status, 'suspended');
  for (const type of ['billing.ended', 'vm.suspended'])
    assert.match(await messageOf(customer, id, type), /turn on automatic renewal/);
  await customer.topUp(1n);
  await comes(fixture, '2026-02-02T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [], 'money alone does not help');
  assert.equal((await patch({ notes: 'mine' })).error?.code, 'vm_suspended');
  assert.equal((await patch({ auto_renew: true, hostname: 'other' })).error?.code, 'vm_suspended');
  assert.equal((await vmOf(fixture, id)).auto_renew, false, 'what is refused changes nothing');
  assert.equal((await patch({ auto_renew: true })).status, 200);
  await comes(fixture, '2026-02-02T00:00:00Z');
  const { status, billing_period_start_at } = await vmOf(fixture, id);
  assert.deepEqual([status, billing_period_start_at], ['running', new Date('2026-02-02T00:00:00Z')]);
  assert.equal(await powerOf(fixture, id), 'running');
  assert.deepEqual(await renewalsOf(fixture, id), [699n]);
  await assertInvariants(fixture.db);
});

test('turned on without money the VM stays off until there is some', async (t) => {
  const { fixture, customer, id, patch } = await owner(t, false, 700n);
  await comes(fixture, PERIOD_END);
  assert.equal((await patch({ auto_renew: true })).status, 200);
  await comes(fixture, '2026-02-02T00:00:00Z');
  assert.equal((await vmOf(fixture, id)).status, 'suspended');
  const start = await customer.call({ method: 'POST', path: `/v1/vm/${id}/start` });
  assert.match(start.error!.message, /top up the wallet/);
  await customer.topUp(698n);
  await comes(fixture, '2026-02-02T00:00:00Z');
  assert.equal((await vmOf(fixture, id)).status, 'running');
});

test('turned off in grace the VM is switched off, and turned on again it is renewed', async (t) => {
  const { fixture, customer, id, patch } = await owner(t, true, 700n);
  await comes(fixture, PERIOD_END);
  assert.deepEqual(await eventsOf(fixture, id, PERIOD_END), ['billing.unpaid']);
  assert.match(await messageOf(customer, id, 'billing.unpaid'), /6\.99 EUR.* 6\.98 EUR short/);
  fixture.installation.services.clock.set(new Date('2026-02-02T00:00:00Z'));
  await patch({ auto_renew: false });
  // The service is down for twelve hours, which the owner need not pay for.
  await comes(fixture, '2026-02-02T12:00:00Z');
  assert.equal((await vmOf(fixture, id)).status, 'suspended');
  await customer.topUp(10_00n);
  await patch({ auto_renew: true });
  await comes(fixture, '2026-02-03T00:00:00Z');
  assert.equal((await vmOf(fixture, id)).status, 'running');
  // One of February's 28 days, and a month.
  assert.deepEqual(await renewalsOf(fixture, id), [25n + 699n]);
  await assertInvariants(fixture.db);
});

test('one that was switched off late because it did not renew owes nothing for that', async (t) => {
  const { fixture, id, patch } = await owner(t, false);
  const { catalog } = fixture.installation.services;
  await comes(fixture, '2026-02-02T12:00:00Z');
  const { suspended_at, grace_ended_at } = await vmOf(fixture, id);
  assert.deepEqual([suspended_at, grace_ended_at], [new Date('2026-02-02T12:00:00Z'), new Date(PERIOD_END)]);
  await patch({ auto_renew: true });
  // Neither turning renewal on nor a longer grace period in the catalog grants a grace period afterwards.
  catalog.grace.suspend_after_hours = 1000;
  await comes(fixture, '2026-02-03T00:00:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [699n]);
  const { grace_ended_at: after, billing_period_start_at } = await vmOf(fixture, id);
  assert.deepEqual([after, billing_period_start_at], [null, new Date('2026-02-03T00:00:00Z')]);
  await assertInvariants(fixture.db);
});

test('turned on again before it could be switched off it has its grace, and owes it', async (t) => {
  const { fixture, customer, id, patch } = await owner(t, true, 700n);
  await comes(fixture, PERIOD_END);
  fixture.installation.services.clock.set(new Date('2026-02-01T12:00:00Z'));
  await patch({ auto_renew: false });
  const { unpaid } = await customer.must({ method: 'GET', path: '/v1/billing/summary' });
  assert.equal(unpaid[0].suspends_at, '2026-02-01T12:00:00.000Z');
  await patch({ auto_renew: true });
  await comes(fixture, '2026-02-04T00:00:00Z');
  await customer.topUp(10_00n);
  await comes(fixture, '2026-02-05T00:00:00Z');
  // Three days of February's 28, and a month.
  assert.deepEqual(await renewalsOf(fixture, id), [75n + 699n]);
});

test('if clocks of nodes differ, no minute is paid twice when a VM returns', async (t) => {
  const { fixture, customer, id, patch } = await owner(t, true, 700n);
  const { services } = fixture.installation;
  await comes(fixture, PERIOD_END);
  // A node whose clock is five minutes ahead suspends the VM, and another node receives the payment right after.
  services.clock.set(new Date('2026-02-03T00:05:00Z'));
  await patch({ auto_renew: false });
  await comes(fixture, '2026-02-03T00:05:00Z');
  assert.deepEqual((await vmOf(fixture, id)).suspended_at, new Date('2026-02-03T00:05:00Z'));
  t.mock.method(services.clock, 'now', () => new Date('2026-02-03T00:01:00Z'));
  await customer.topUp(10_00n);
  await patch({ auto_renew: true });
  await renewVms(services);
  await fixture.finish();
  const lines = await fixture.db.query<{ description: string; from_at: Date; to_at: Date }>(sql`
    select description, from_at, to_at from order_lines join orders on orders.id = order_id
    where kind = 'renew' order by position`);
  const [end, back, next] = ['2026-02-01T00:00:00Z', '2026-02-03T00:01:00Z', '2026-03-03T00:01:00Z'].map(
    (at) => new Date(at),
  );
  assert.deepEqual(lines, [
    { description: 'Grace on Shared S2', from_at: end, to_at: back },
    { description: 'Shared S2', from_at: back, to_at: next },
  ]);
  await assertInvariants(fixture.db);
});

test('a VM whose deletion was given up is not renewed again', async (t) => {
  const { fixture, customer, id, patch } = await owner(t, true);
  fixture.trouble = {
    engine(_, operation) {
      if (operation === 'remove') throw new Error('cannot');
    },
  };
  await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  await fixture.finish();
  assert.equal((await vmOf(fixture, id)).status, 'error');
  const { status, error } = await patch({ auto_renew: true });
  assert.deepEqual([status, error?.code], [409, 'invalid_state']);
  assert.match(error!.message, /Delete it again/);
  assert.deepEqual(await fixture.db.query(sql`select 1 from vms where auto_renew`), []);
});
