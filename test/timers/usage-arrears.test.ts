import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { refundOrder } from '../../server/domain/billing/adjustments/correct-order.ts';
import { buyVm, comes, eventsOf, renewalsOf, vmOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';
import { amounts, billing, linesOf, open, send, snapshotOf, summary } from './usage-support.ts';

test('a deletion refunds less by the cost of the usage, and the preview says so', async (t) => {
  const { fixture, customer } = await open(t, 100_00n);
  const id = await buyVm(fixture, customer);
  await snapshotOf(fixture, customer, id, 31);
  fixture.installation.services.clock.set(new Date('2026-01-16T12:00:00Z'));
  await send(fixture, id, '2026-01-16', 600);
  // Half a month: 349 unused, 500 GB included, 15.5 GB-months.
  const { refund_minor, usage_minor, charged_minor } = await customer.must({
    method: 'GET',
    path: `/v1/vm/${id}/delete-preview`,
  });
  assert.deepEqual([refund_minor, usage_minor, charged_minor], [349 - 100 - 155, 255, 0]);
  const { refund } = await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  assert.deepEqual([refund.amount_minor, refund.charged_minor, refund.debt_minor], [94, 0, 0]);
  await fixture.finish();
  assert.deepEqual(amounts(await linesOf(fixture, id, 'delete_refund')), [
    ['GB', 100],
    ['GB-month', 155],
    ['month', -349],
  ]);
  assert.equal((await customer.wallet()).available_minor, 10_000n - 699n + 94n);
  await assertInvariants(fixture.db);
});

test('if the usage exceeds the refund the wallet pays, and the rest is owed', async (t) => {
  const { fixture, customer } = await open(t, 749n);
  const id = await buyVm(fixture, customer);
  fixture.installation.services.clock.set(new Date('2026-01-16T12:00:00Z'));
  await send(fixture, id, '2026-01-16', 1000);
  const preview = await customer.must({ method: 'GET', path: `/v1/vm/${id}/delete-preview` });
  const of = ({ charged_minor, debt_minor }: Record<string, number>) => [charged_minor, debt_minor];
  assert.deepEqual([preview.refund_minor, preview.usage_minor, ...of(preview)], [0, 500, 50, 101]);
  const { refund } = await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  assert.deepEqual([refund.amount_minor, ...of(refund)], [0, 50, 101]);
  await fixture.finish();
  assert.equal((await customer.wallet()).available_minor, 0n);
  const booked = await fixture.db.query<{ debit: string; credit: string; amount_minor: bigint }>(
    sql`select debit, credit, amount_minor from journal where reason = 'debt'`,
  );
  assert.deepEqual(booked, [{ debit: 'receivable', credit: 'wallet', amount_minor: 101n }]);
  assert.deepEqual(await eventsOf(fixture, id, '2026-01-16T00:00:00Z'), ['billing.debt', 'vm.deleted']);
  await assertInvariants(fixture.db);
  const correction = { orderId: refund.order_id, reason: 'goodwill', actor: 'root' };
  const { clock } = fixture.installation.services;
  const given = await fixture.db.transaction((tx) => refundOrder({ tx, clock }, correction, () => undefined));
  assert.equal(given.amount_minor, -50n, 'what was never collected is not given back');
  assert.equal((await customer.wallet()).available_minor, 50n);
  await assertInvariants(fixture.db);
});

test('usage that the wallet does not cover leaves the VM unpaid, as its renewal does', async (t) => {
  const { fixture, customer } = await open(t, 1500n);
  const id = await buyVm(fixture, customer);
  await send(fixture, id, '2026-01-10', 1200);
  await comes(fixture, '2026-02-01T00:00:00Z');
  assert.deepEqual(await eventsOf(fixture, id, '2026-02-01T00:00:00Z'), ['billing.unpaid']);
  const { overdue_minor, shortfall_minor, usage_minor } = await summary(customer);
  assert.deepEqual([overdue_minor, shortfall_minor, usage_minor], [899, 98, 200]);
  await customer.topUp(98n);
  await comes(fixture, '2026-02-01T00:01:00Z');
  assert.deepEqual(await renewalsOf(fixture, id), [899n]);
  await assertInvariants(fixture.db);
});

test('a suspended VM owes the usage of its period and its grace, not of the time when it was off', async (t) => {
  const { fixture, customer } = await open(t, 700n);
  const id = await buyVm(fixture, customer);
  await snapshotOf(fixture, customer, id, 28);
  await send(fixture, id, '2026-01-10', 1100);
  await comes(fixture, '2026-02-01T00:00:00Z');
  await send(fixture, id, '2026-02-02', 1000);
  await comes(fixture, '2026-02-04T00:00:00Z');
  await comes(fixture, '2026-02-10T00:00:00Z');
  await customer.topUp(10_000n);
  await comes(fixture, '2026-02-10T00:00:30Z');
  // For three of 28 days: 1000 GB, of which 107.142857 are included, and 3 GB-months.
  assert.deepEqual(amounts(await linesOf(fixture, id, 'renew')), [
    ['GB', 100],
    ['GB-month', 280],
    ['GB', 893],
    ['GB-month', 30],
    ['month', 75],
    ['month', 699],
  ]);
  assert.equal((await billing(customer, id)).usage_minor, 0);
  await assertInvariants(fixture.db);
});

test('an unpaid VM that the service deletes is charged as far as the wallet covers', async (t) => {
  const { fixture, customer } = await open(t, 750n);
  const id = await buyVm(fixture, customer);
  await send(fixture, id, '2026-01-10', 1100);
  await comes(fixture, '2026-02-01T00:00:00Z');
  await comes(fixture, '2026-02-04T00:00:00Z');
  await comes(fixture, '2026-02-15T00:00:00Z');
  await comes(fixture, '2026-02-18T00:00:00Z');
  assert.notEqual((await vmOf(fixture, id)).deleted_at, null);
  assert.deepEqual(amounts(await linesOf(fixture, id, 'delete_refund')), [['GB', 100]]);
  assert.equal((await customer.wallet()).available_minor, 0n);
  const [row] = await fixture.db.query<{ lost: bigint }>(
    sql`select sum(amount_minor)::bigint as lost from journal where debit = 'receivable'`,
  );
  assert.equal(row!.lost, 49n);
  await assertInvariants(fixture.db);
});
