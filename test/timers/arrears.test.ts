import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressesOf } from '../../server/db/queries/vms/addresses.ts';
import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import { Fixture } from '../jobs/support/fixture.ts';
import { buyVm, comes, eventsOf, powerOf, renewalsOf, tenant, vmOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';

const PERIOD_END = '2026-02-01T00:00:00Z';
const GRACE_END = '2026-02-04T00:00:00Z';

/** A VM whose owner had money for its first month only, after that month. */
async function unpaidVm(t: Parameters<typeof Fixture.open>[0], wish: object = {}) {
  const fixture = await Fixture.open(t, '2026-01-01T00:00:00Z');
  const customer = await tenant(fixture, 700n);
  const id = await buyVm(fixture, customer, wish);
  await comes(fixture, PERIOD_END);
  return { fixture, customer, id };
}

test('an unpaid VM runs on for its grace, and is renewed once there is money', async (t) => {
  const { fixture, customer, id } = await unpaidVm(t);
  assert.deepEqual(await eventsOf(fixture, id, PERIOD_END), ['billing.unpaid']);
  await comes(fixture, '2026-02-03T23:59:59Z');
  const { status, unpaid_since } = await vmOf(fixture, id);
  assert.deepEqual({ status, unpaid_since }, { status: 'running', unpaid_since: new Date(PERIOD_END) });
  await customer.topUp(698n);
  await comes(fixture, '2026-02-03T23:59:59Z');
  assert.deepEqual(await renewalsOf(fixture, id), [699n]);
  const after = await vmOf(fixture, id);
  assert.deepEqual(
    [after.unpaid_since, after.billing_period_end_at],
    [null, new Date('2026-03-01T00:00:00Z')],
  );
  assert.deepEqual(await eventsOf(fixture, id, PERIOD_END), ['billing.unpaid', 'billing.charged']);
  await assertInvariants(fixture.db);
});

test('after its grace it is switched off, and comes back with the money', async (t) => {
  const { fixture, customer, id } = await unpaidVm(t);
  await comes(fixture, GRACE_END);
  const { status, suspended_at } = await vmOf(fixture, id);
  assert.deepEqual({ status, suspended_at }, { status: 'suspended', suspended_at: new Date(GRACE_END) });
  assert.equal(await powerOf(fixture, id), 'off');
  const refused = await customer.call({ method: 'POST', path: `/v1/vm/${id}/start` });
  assert.equal(refused.error?.code, 'vm_suspended');
  await customer.topUp(1000n);
  await comes(fixture, '2026-02-10T00:00:00Z');
  const back = await vmOf(fixture, id);
  assert.deepEqual([back.status, back.suspended_at, back.resume_after_payment], ['running', null, false]);
  assert.equal(await powerOf(fixture, id), 'running');
  assert.deepEqual(
    [back.billing_period_start_at, back.billing_period_end_at, back.billing_anchor_day],
    [new Date('2026-02-10T00:00:00Z'), new Date('2026-03-10T00:00:00Z'), 10],
    'a new month begins with the payment',
  );
  // 72 of the 672 hours of the unpaid month, and a new month.
  assert.deepEqual(await renewalsOf(fixture, id), [75n + 699n]);
  assert.deepEqual(await eventsOf(fixture, id, PERIOD_END), [
    'billing.unpaid',
    'vm.suspended',
    'billing.charged',
    'vm.started',
  ]);
  await assertInvariants(fixture.db);
});

test('one that was off stays off', async (t) => {
  const { fixture, customer, id } = await unpaidVm(t, { start: false });
  await comes(fixture, GRACE_END);
  assert.equal((await vmOf(fixture, id)).status, 'suspended');
  await customer.topUp(1000n);
  await comes(fixture, '2026-02-10T00:00:00Z');
  assert.equal((await vmOf(fixture, id)).status, 'stopped');
  assert.equal(await powerOf(fixture, id), 'off');
});

test('one whose suspension failed half-way returns too', async (t) => {
  const { fixture, customer, id } = await unpaidVm(t);
  let left = 1;
  fixture.trouble = {
    step({ phase }) {
      if (phase === 'after' && left-- > 0) throw new Error('fails after the power was cut');
      return undefined;
    },
  };
  await comes(fixture, GRACE_END);
  assert.equal((await vmOf(fixture, id)).status, 'stopped');
  await comes(fixture, '2026-02-04T00:01:00Z');
  assert.equal((await vmOf(fixture, id)).status, 'suspended');
  await customer.topUp(1000n);
  await comes(fixture, '2026-02-05T00:00:00Z');
  assert.equal((await vmOf(fixture, id)).status, 'running');
});

test('two weeks later it is deleted, and its addresses rest before they are assigned again', async (t) => {
  const { fixture, id } = await unpaidVm(t);
  const addresses = (await addressesOf(fixture.db, id)).map(({ address }) => address);
  assert.equal(addresses.length, 2);
  await comes(fixture, GRACE_END);
  await comes(fixture, '2026-02-15T00:00:00Z');
  await comes(fixture, '2026-02-17T23:59:59Z');
  assert.equal((await vmOf(fixture, id)).deleted_at, null);
  await comes(fixture, '2026-02-18T00:00:00Z');
  assert.deepEqual((await vmOf(fixture, id)).deleted_at, new Date('2026-02-18T00:00:00Z'));
  assert.equal(await powerOf(fixture, id), undefined);
  assert.deepEqual(await eventsOf(fixture, id, PERIOD_END), [
    'billing.unpaid',
    'vm.suspended',
    'billing.deletion_due',
    'vm.deleted',
  ]);

  const other = await tenant(fixture, 100_00n);
  const addressesOfNext = async () =>
    (await addressesOf(fixture.db, await buyVm(fixture, other))).map(({ address }) => address);
  fixture.installation.services.clock.set(new Date('2026-02-19T00:00:00Z'));
  assert.equal((await addressesOfNext()).filter((address) => addresses.includes(address)).length, 0);
  fixture.installation.services.clock.set(new Date('2026-02-19T00:00:01Z'));
  assert.deepEqual(await addressesOfNext(), addresses);
  await assertInvariants(fixture.db);
});

test('a VM that does not renew ends with its period, with or without money', async (t) => {
  const fixture = await Fixture.open(t, '2026-01-01T00:00:00Z');
  const customer = await tenant(fixture, 100_00n);
  const id = await buyVm(fixture, customer, { auto_renew: false });
  await comes(fixture, PERIOD_END);
  assert.equal((await vmOf(fixture, id)).status, 'suspended');
  await comes(fixture, '2026-02-12T00:00:00Z');
  await comes(fixture, '2026-02-15T00:00:00Z');
  assert.notEqual((await vmOf(fixture, id)).deleted_at, null);
  assert.deepEqual(await renewalsOf(fixture, id), []);
  assert.deepEqual(await eventsOf(fixture, id, PERIOD_END), [
    'billing.ended',
    'vm.suspended',
    'billing.deletion_due',
    'vm.deleted',
  ]);
  assert.equal((await customer.wallet()).available_minor, 100_00n - 699n);
  await assertInvariants(fixture.db);
});

test('a VM that is kept busy is suspended too', async (t) => {
  const { fixture, customer, id } = await unpaidVm(t);
  const reboot = { method: 'POST', path: `/v1/vm/${id}/reboot` } as const;
  const { services } = fixture.installation;
  services.clock.set(new Date('2026-02-03T23:59:59Z'));
  await customer.must(reboot);
  services.clock.set(new Date(GRACE_END));
  await renewVms(services);
  await fixture.finish();
  // The round found the VM busy; before the next round the customer tries to keep it busy.
  assert.equal((await vmOf(fixture, id)).status, 'running');
  assert.equal((await customer.call(reboot)).error?.code, 'vm_suspended');
  await comes(fixture, GRACE_END);
  assert.equal((await vmOf(fixture, id)).status, 'suspended');
});

test('an unpaid VM that is deleted is not refunded', async (t) => {
  const { fixture, customer, id } = await unpaidVm(t);
  await comes(fixture, GRACE_END);
  const { refund } = await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  assert.deepEqual(refund, {
    amount_minor: 0,
    promo_minor: 0,
    promo_expires_at: null,
    charged_minor: 0,
    debt_minor: 0,
    written_off_minor: 0,
    currency: 'EUR',
    order_id: null,
  });
  await fixture.finish();
  assert.equal((await customer.wallet()).available_minor, 1n);
  await assertInvariants(fixture.db);
});
