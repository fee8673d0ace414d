import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grantPromo } from '../../server/domain/billing/promo-credits.ts';
import { buyVm, comes, vmOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';
import { available, linesOf, owner } from './hourly-support.ts';

/** Customers' possible schemes with hourly billing; each test shows that the customer gains nothing. */

test('credit that pays a deposit does not become money by a deletion', async (t) => {
  const { fixture, customer, remove } = await owner(t, 399n);
  const { clock } = fixture.installation.services;
  const wish = { accountId: customer.accountId, amountMinor: 300n, field: 'amount' as const };
  const until = new Date('2026-06-01T00:00:00Z');
  await fixture.db.transaction((tx) =>
    grantPromo(tx, clock, { ...wish, until, reason: 'Welcome', actor: 'root' }),
  );
  await customer.topUp(99n);
  const wallet = async () => {
    const { available_minor, promo_minor } = await customer.must({
      method: 'GET',
      path: '/v1/billing/wallet',
    });
    return [available_minor, promo_minor];
  };
  const id = await buyVm(fixture, customer, { plan: 's1', billing: 'hourly' });
  assert.deepEqual(await wallet(), [0, 0]);
  clock.set(new Date('2026-01-01T01:00:00Z'));
  const { refund } = await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  await fixture.finish();
  // One hour costs 0.01. The rest is refunded in the shares in which it was paid; the odd unit is credit.
  assert.deepEqual([refund.amount_minor, refund.promo_minor], [398, 300]);
  assert.deepEqual(await wallet(), [398, 300]);
  // The first VM was paid with money only, so its refund contains no credit.
  assert.equal((await remove()).promo_minor, 0);
  await assertInvariants(fixture.db);
});

test('changing back and forth makes no hour cheaper', async (t) => {
  const { fixture, customer, id, at, change, remove } = await owner(t);
  let minutes = 0;
  for (let n = 0; n < 6; n++) {
    minutes += 7;
    at(new Date(Date.parse('2026-01-01T00:00:00Z') + minutes * 60_000).toISOString());
    await change({ plan: n % 2 === 0 ? 's2' : 's1' });
  }
  at('2026-01-01T00:43:00Z');
  await remove();
  // 21 minutes of each cost 0.0058, and the started hour of s1 costs 0.006.
  assert.equal(await available(customer), 100_00 - 1);
  const sold = (await linesOf(fixture, id, 'change_plan')).filter(({ unit }) => unit === 'hour');
  assert.ok(sold.every(({ amount_minor }) => amount_minor >= 0n));
  await assertInvariants(fixture.db);
});

test('a deletion between the end of a month and its renewal leaves the month to be paid', async (t) => {
  const { fixture, customer, id, at, read, remove } = await owner(t);
  at('2026-02-01T00:00:01Z');
  assert.equal((await read('/delete-preview')).refund_minor, 0);
  assert.equal((await remove()).amount_minor, 0);
  assert.equal(await available(customer), 100_00 - 399);
  assert.deepEqual(await linesOf(fixture, id, 'delete_refund'), [
    { description: 'Released deposit for Shared S1', quantity: 1, unit: 'deposit', amount_minor: -399n },
    { description: 'Shared S1, 744 hours', quantity: 744, unit: 'hour', amount_minor: 399n },
  ]);
  await assertInvariants(fixture.db);
});

test('a deposit cannot be spent a second time', async (t) => {
  const { fixture, customer } = await owner(t, 399n);
  const body = { plan: 's1', template: 'debian-12', hostname: 'two', billing: 'hourly' };
  const reply = await customer.call({ method: 'POST', path: '/v1/vm', body });
  assert.equal(reply.error?.code, 'insufficient_funds');
  const wallet = await customer.must({ method: 'GET', path: '/v1/billing/wallet' });
  assert.deepEqual([wallet.available_minor, wallet.held_minor, wallet.balance_minor], [0, 399, 399]);
  await assertInvariants(fixture.db);
});

test('choosing the month late does not make its hours free', async (t) => {
  const { fixture, customer, id, at, patch, remove } = await owner(t);
  at('2026-01-31T23:00:00Z');
  await patch({ billing: 'monthly' });
  await comes(fixture, '2026-02-01T00:00:00Z');
  assert.equal((await vmOf(fixture, id)).deposit_minor, null);
  // January's hours added up to the monthly price, and February is sold in advance.
  assert.equal(await available(customer), 100_00 - 2 * 399);
  at('2026-02-01T00:00:01Z');
  await remove();
  assert.equal(await available(customer), 100_00 - 399 - 1);
  await assertInvariants(fixture.db);
});

test('a clock that is set back does not refund a month whose usage is sold', async (t) => {
  // With that clock a running guest would still be booting.
  const { fixture, customer, id, read, change, remove } = await owner(t, 399n, { start: false });
  await comes(fixture, '2026-02-01T00:00:00Z');
  assert.equal((await linesOf(fixture, id, 'hourly_usage')).length, 2);
  // Five days before the end, the month's hours have not reached the monthly price yet.
  fixture.clock.putBack(5 * 86_400_000);
  assert.equal((await read('/delete-preview')).refund_minor, 0);
  // The month was paid as s1 and is over: as s2 it costs nothing more.
  await change({ plan: 's2' });
  assert.equal((await read('/delete-preview')).refund_minor, 0);
  assert.equal((await remove()).amount_minor, 0);
  assert.equal(await available(customer), 0);
  await assertInvariants(fixture.db);
});

test('a month that is paid after its clock was set back can be refunded', async (t) => {
  const { fixture, customer, id, at, remove } = await owner(t, 399n, { start: false });
  await comes(fixture, '2026-02-01T00:00:00Z');
  fixture.clock.putBack(3_600_000);
  await customer.topUp(399n);
  // By this clock it is ten minutes after the end of the month.
  await comes(fixture, '2026-02-01T01:10:00Z');
  assert.equal((await vmOf(fixture, id)).deposit_minor, 399n);
  at('2026-02-01T02:00:00Z');
  assert.equal((await remove()).amount_minor, 398);
  assert.equal(await available(customer), 398);
  await assertInvariants(fixture.db);
});
