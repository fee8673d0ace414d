import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { refundOrder } from '../../server/domain/billing/adjustments/correct-order.ts';
import { buyVm, comes, vmOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';
import { available, linesOf, owner } from './hourly-support.ts';
import { open, send } from './usage-support.ts';

/** Deposits in combination with other movements of money. */

const heldMinor = async (customer: Awaited<ReturnType<typeof owner>>['customer']) =>
  (await customer.must({ method: 'GET', path: '/v1/billing/wallet' })).held_minor;

test('the operator refunds usage that was sold, and never a deposit', async (t) => {
  const { fixture, customer, id } = await owner(t);
  const { db, clock } = fixture.installation.services;
  await comes(fixture, '2026-02-01T00:00:00Z');
  const orders = await db.query<{ id: string; kind: string }>(
    sql`select id, kind from orders where vm_id = ${id} order by id`,
  );
  const orderOf = (kind: string) => orders.find((order) => order.kind === kind)!.id;
  const refund = (orderId: string, amount?: bigint) =>
    db.transaction((tx) =>
      refundOrder({ tx, clock }, { orderId, reason: 'because', actor: 'root' }, () => amount),
    );
  for (const kind of ['create', 'renew'])
    await assert.rejects(refund(orderOf(kind)), /charged nothing/, kind);
  const made = await refund(orderOf('hourly_usage'), 100n);
  assert.equal(made.amount_minor, -100n);
  assert.equal((await refund(orderOf('hourly_usage'))).amount_minor, -299n);
  await assert.rejects(refund(orderOf('hourly_usage')), /Nothing is left/);
  // January was refunded; the deposit for February stays held.
  assert.deepEqual([await available(customer), await heldMinor(customer)], [100_00 - 399, 399]);
  await assertInvariants(db);
});

test('a deposit pays no debt, and a released one does', async (t) => {
  const { fixture, customer } = await open(t, 749n + 399n);
  const hourly = await buyVm(fixture, customer, { plan: 's1', billing: 'hourly' });
  const heavy = await buyVm(fixture, customer);
  const { clock } = fixture.installation.services;
  clock.set(new Date('2026-01-16T12:00:00Z'));
  await send(fixture, heavy, '2026-01-16', 1000);
  // 5.00 of traffic less 3.49 of the month; the wallet has 0.50.
  await customer.must({ method: 'DELETE', path: `/v1/vm/${heavy}` });
  await fixture.finish();
  const wallet = () => customer.must({ method: 'GET', path: '/v1/billing/wallet' });
  const money = async () => {
    const { available_minor, held_minor, debt_minor } = await wallet();
    return [available_minor, held_minor, debt_minor];
  };
  assert.deepEqual(await money(), [0, 399, 101]);
  await comes(fixture, '2026-01-16T12:10:00Z');
  assert.deepEqual(await money(), [0, 399, 101]);
  await assertInvariants(fixture.db);
  // 373 hours cost 2.24, and 1.75 is released.
  const { refund } = await customer.must({ method: 'DELETE', path: `/v1/vm/${hourly}` });
  await fixture.finish();
  assert.equal(refund.amount_minor, 175);
  await comes(fixture, '2026-01-16T12:20:00Z');
  assert.deepEqual(await money(), [74, 0, 0]);
  await assertInvariants(fixture.db);
});

test('traffic of a VM that is deleted is taken from its deposit first, and is a debt beyond that', async (t) => {
  const { fixture, customer } = await open(t, 399n + 399n);
  const [some, much] = [
    await buyVm(fixture, customer, { plan: 's1', billing: 'hourly' }),
    await buyVm(fixture, customer, { plan: 's1', billing: 'hourly' }),
  ];
  const { clock } = fixture.installation.services;
  clock.set(new Date('2026-01-16T12:00:00Z'));
  // Of the 1000 GB, 500 are included so far.
  await send(fixture, some, '2026-01-16', 600);
  await send(fixture, much, '2026-01-16', 800);
  const { refund } = await customer.must({ method: 'DELETE', path: `/v1/vm/${some}` });
  await fixture.finish();
  // 2.23 for hours and 1.00 for traffic.
  assert.deepEqual([refund.amount_minor, refund.charged_minor, refund.debt_minor], [76, 0, 0]);
  const last = (await customer.must({ method: 'DELETE', path: `/v1/vm/${much}` })).refund;
  await fixture.finish();
  // 2.23 and 3.00 exceed the deposit by 1.24; the wallet has 0.76.
  assert.deepEqual([last.amount_minor, last.charged_minor, last.debt_minor], [0, 76, 48]);
  assert.deepEqual([await available(customer), await heldMinor(customer)], [0, 0]);
  await assertInvariants(fixture.db);
});

test('a VM in grace and suspension holds no deposit, and has one again once it is paid', async (t) => {
  const { fixture, customer, id, read } = await owner(t, 399n);
  const deposit = async () => (await vmOf(fixture, id)).deposit_minor;
  await comes(fixture, '2026-02-01T00:00:00Z');
  await comes(fixture, '2026-02-02T00:00:00Z');
  assert.deepEqual([await deposit(), await heldMinor(customer)], [null, 0]);
  assert.equal((await read('/delete-preview')).refund_minor, 0);
  await comes(fixture, '2026-02-04T00:00:00Z');
  assert.equal((await vmOf(fixture, id)).status, 'suspended');
  assert.deepEqual([await deposit(), await heldMinor(customer)], [null, 0]);
  await assertInvariants(fixture.db);
  // 72 hours of grace at 0.006 cost 0.43, and the new month begins with its payment.
  await customer.topUp(399n + 43n);
  await comes(fixture, '2026-02-05T00:00:00Z');
  assert.deepEqual([await deposit(), await heldMinor(customer), await available(customer)], [399n, 399, 0]);
  const renewal = (await linesOf(fixture, id, 'renew')).map(({ unit, amount_minor }) => [unit, amount_minor]);
  assert.deepEqual(renewal, [
    ['hour', 43n],
    ['deposit', 399n],
  ]);
  await assertInvariants(fixture.db);
});
