import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressesOf } from '../../server/db/queries/addresses.ts';
import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import { assertInvariants } from '../support/invariants.ts';
import { buyVm, comes, eventsOf, powerOf, renewalsOf, tenant, vmOf } from './support/landlord.ts';
import { Stage } from './support/stage.ts';

const PERIOD_END = '2026-02-01T00:00:00Z';
const GRACE_END = '2026-02-04T00:00:00Z';

/** A VM whose owner had money for its first month only, and that time. */
async function unpaidVm(t: Parameters<typeof Stage.open>[0], wish: object = {}) {
  const stage = await Stage.open(t, '2026-01-01T00:00:00Z');
  const customer = await tenant(stage, 700n);
  const id = await buyVm(stage, customer, wish);
  await comes(stage, PERIOD_END);
  return { stage, customer, id };
}

test('an unpaid VM runs on for its grace, and is renewed once there is money', async (t) => {
  const { stage, customer, id } = await unpaidVm(t);
  assert.deepEqual(await eventsOf(stage, id, PERIOD_END), ['billing.unpaid']);
  await comes(stage, '2026-02-03T23:59:59Z');
  const { status, unpaid_since } = await vmOf(stage, id);
  assert.deepEqual({ status, unpaid_since }, { status: 'running', unpaid_since: new Date(PERIOD_END) });
  await customer.topUp(698n);
  await comes(stage, '2026-02-03T23:59:59Z');
  assert.deepEqual(await renewalsOf(stage, id), [699n]);
  const after = await vmOf(stage, id);
  assert.deepEqual(
    [after.unpaid_since, after.billing_period_end_at],
    [null, new Date('2026-03-01T00:00:00Z')],
  );
  assert.deepEqual(await eventsOf(stage, id, PERIOD_END), ['billing.unpaid', 'billing.charged']);
  await assertInvariants(stage.db);
});

test('after its grace it is switched off, and comes back with the money', async (t) => {
  const { stage, customer, id } = await unpaidVm(t);
  await comes(stage, GRACE_END);
  const { status, suspended_at } = await vmOf(stage, id);
  assert.deepEqual({ status, suspended_at }, { status: 'suspended', suspended_at: new Date(GRACE_END) });
  assert.equal(await powerOf(stage, id), 'off');
  const refused = await customer.call({ method: 'POST', path: `/v1/vm/${id}/start` });
  assert.equal(refused.error?.code, 'vm_suspended');
  await customer.topUp(1000n);
  await comes(stage, '2026-02-10T00:00:00Z');
  const back = await vmOf(stage, id);
  assert.deepEqual([back.status, back.suspended_at, back.resume_after_payment], ['running', null, false]);
  assert.equal(await powerOf(stage, id), 'running');
  assert.deepEqual(
    [back.billing_period_start_at, back.billing_period_end_at, back.billing_anchor_day],
    [new Date('2026-02-10T00:00:00Z'), new Date('2026-03-10T00:00:00Z'), 10],
    'a new month begins with the payment',
  );
  // 72 of the 672 hours of the month that was not paid, and a new month.
  assert.deepEqual(await renewalsOf(stage, id), [75n + 699n]);
  assert.deepEqual(await eventsOf(stage, id, PERIOD_END), [
    'billing.unpaid',
    'vm.suspended',
    'billing.charged',
    'vm.started',
  ]);
  await assertInvariants(stage.db);
});

test('one that was off stays off', async (t) => {
  const { stage, customer, id } = await unpaidVm(t, { start: false });
  await comes(stage, GRACE_END);
  assert.equal((await vmOf(stage, id)).status, 'suspended');
  await customer.topUp(1000n);
  await comes(stage, '2026-02-10T00:00:00Z');
  assert.equal((await vmOf(stage, id)).status, 'stopped');
  assert.equal(await powerOf(stage, id), 'off');
});

test('one whose suspension failed half-way comes back all the same', async (t) => {
  const { stage, customer, id } = await unpaidVm(t);
  let left = 1;
  stage.trouble = {
    step({ phase }) {
      if (phase === 'after' && left-- > 0) throw new Error('fails after the power was cut');
      return undefined;
    },
  };
  await comes(stage, GRACE_END);
  assert.equal((await vmOf(stage, id)).status, 'stopped');
  await comes(stage, '2026-02-04T00:01:00Z');
  assert.equal((await vmOf(stage, id)).status, 'suspended');
  await customer.topUp(1000n);
  await comes(stage, '2026-02-05T00:00:00Z');
  assert.equal((await vmOf(stage, id)).status, 'running');
});

test('two weeks later it is deleted, and its addresses rest before anybody else gets them', async (t) => {
  const { stage, id } = await unpaidVm(t);
  const addresses = (await addressesOf(stage.db, id)).map(({ address }) => address);
  assert.equal(addresses.length, 2);
  await comes(stage, GRACE_END);
  await comes(stage, '2026-02-15T00:00:00Z');
  await comes(stage, '2026-02-17T23:59:59Z');
  assert.equal((await vmOf(stage, id)).deleted_at, null);
  await comes(stage, '2026-02-18T00:00:00Z');
  assert.deepEqual((await vmOf(stage, id)).deleted_at, new Date('2026-02-18T00:00:00Z'));
  assert.equal(await powerOf(stage, id), undefined);
  assert.deepEqual(await eventsOf(stage, id, PERIOD_END), [
    'billing.unpaid',
    'vm.suspended',
    'billing.deletion_due',
    'vm.deleted',
  ]);

  const other = await tenant(stage, 100_00n);
  const addressesOfNext = async () =>
    (await addressesOf(stage.db, await buyVm(stage, other))).map(({ address }) => address);
  stage.installation.services.clock.set(new Date('2026-02-19T00:00:00Z'));
  assert.equal((await addressesOfNext()).filter((address) => addresses.includes(address)).length, 0);
  stage.installation.services.clock.set(new Date('2026-02-19T00:00:01Z'));
  assert.deepEqual(await addressesOfNext(), addresses);
  await assertInvariants(stage.db);
});

test('a VM that is not to be renewed ends with its period, money or not', async (t) => {
  const stage = await Stage.open(t, '2026-01-01T00:00:00Z');
  const customer = await tenant(stage, 100_00n);
  const id = await buyVm(stage, customer, { auto_renew: false });
  await comes(stage, PERIOD_END);
  assert.equal((await vmOf(stage, id)).status, 'suspended');
  await comes(stage, '2026-02-12T00:00:00Z');
  await comes(stage, '2026-02-15T00:00:00Z');
  assert.notEqual((await vmOf(stage, id)).deleted_at, null);
  assert.deepEqual(await renewalsOf(stage, id), []);
  assert.deepEqual(await eventsOf(stage, id, PERIOD_END), [
    'billing.ended',
    'vm.suspended',
    'billing.deletion_due',
    'vm.deleted',
  ]);
  assert.equal((await customer.wallet()).available_minor, 100_00n - 699n);
  await assertInvariants(stage.db);
});

test('a VM that is kept busy is suspended too', async (t) => {
  const { stage, customer, id } = await unpaidVm(t);
  const reboot = { method: 'POST', path: `/v1/vm/${id}/reboot` } as const;
  const { services } = stage.installation;
  services.clock.set(new Date('2026-02-03T23:59:59Z'));
  await customer.must(reboot);
  services.clock.set(new Date(GRACE_END));
  await renewVms(services);
  await stage.finish();
  // The round found it busy; before the next one the customer keeps it so, or tries to.
  assert.equal((await vmOf(stage, id)).status, 'running');
  assert.equal((await customer.call(reboot)).error?.code, 'vm_suspended');
  await comes(stage, GRACE_END);
  assert.equal((await vmOf(stage, id)).status, 'suspended');
});

test('an unpaid VM that is deleted gives nothing back', async (t) => {
  const { stage, customer, id } = await unpaidVm(t);
  await comes(stage, GRACE_END);
  const { refund } = await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  assert.deepEqual(refund, {
    amount_minor: 0,
    charged_minor: 0,
    written_off_minor: 0,
    currency: 'EUR',
    order_id: null,
  });
  await stage.finish();
  assert.equal((await customer.wallet()).available_minor, 1n);
  await assertInvariants(stage.db);
});
