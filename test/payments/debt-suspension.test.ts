import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookUpWallet } from '../../server/db/queries/money/wallets.ts';
import { indebtedShop } from './support/indebted-shop.ts';

const HOUR_MS = 3_600_000;
/** A dispute of the whole payment: 43.01 is available, and 6.99 is owed. */
const DISPUTED = { seconds: 60, status: 'needs_response', amount: 50_00 };

test('by default a debt keeps nothing from running', async (t) => {
  const shop = await indebtedShop(t);
  await shop.deliver(shop.dispute(DISPUTED));
  assert.deepEqual(await shop.books(), [0n, 6_99n]);
  await shop.comes('2026-01-30T00:00:00Z');
  assert.equal(await shop.state(), 'running');
  assert.deepEqual(await shop.events(), ['vm.created']);
});

test('a debt switches VMs off some time after a warning, and they start again once it is paid', async (t) => {
  const shop = await indebtedShop(t, 48);
  const { id, customer, clock } = shop;
  const paid = async () => {
    const { billing_period_end_at, price_monthly_minor, suspended_at, unpaid_since } = await shop.of();
    return [billing_period_end_at, price_monthly_minor, suspended_at, unpaid_since];
  };
  const before = await paid();
  await shop.deliver(shop.dispute(DISPUTED));
  await shop.round();
  const warnedAt = (clock.now().getTime() / 1000) | 0;
  assert.deepEqual(await shop.events(), ['vm.created', 'billing.debt_due']);
  const [due] = await customer.must({ method: 'GET', path: `/v1/vm/${id}/events?type=billing.debt_due` });
  assert.equal(due.metadata.amount_minor, 6_99);
  const at = new Date(due.metadata.suspends_at);
  assert.ok(Math.abs(at.getTime() / 1000 - warnedAt - 48 * 3600) < 60);
  await shop.comes(new Date(at.getTime() - 1000).toISOString());
  assert.equal(await shop.state(), 'running');

  // Keeping the VM busy does not prevent the suspension.
  clock.set(at);
  const reboot = await customer.call({ method: 'POST', path: `/v1/vm/${id}/reboot` });
  assert.equal(reboot.error?.code, 'vm_suspended');
  await shop.round();
  assert.equal(await shop.state(), 'suspended');
  const start = await customer.call({ method: 'POST', path: `/v1/vm/${id}/start` });
  assert.match(start.error!.message, /because the account owes money/);
  assert.deepEqual(await shop.events(), ['vm.created', 'billing.debt_due', 'billing.debt_suspended']);
  assert.deepEqual(await paid(), before, 'its month is paid all the same');

  await shop.credit(6_98n);
  await shop.round();
  assert.equal(await shop.state(), 'suspended', 'a part does not do');
  clock.advance(1000);
  await shop.credit(1n);
  await shop.round();
  assert.equal(await shop.state(), 'running');
  assert.deepEqual((await shop.events()).slice(3), ['billing.debt_settled', 'vm.started']);
  assert.deepEqual(await paid(), before);
  const { resume_after_payment, debt_suspended_at } = await shop.of();
  assert.deepEqual([resume_after_payment, debt_suspended_at], [false, null]);
  assert.deepEqual(await shop.books(), [0n, 0n]);

  assert.deepEqual(await shop.mails(), ['vm_debt_due web', 'vm_debt_suspended web']);

  // A second debt causes another warning.
  await shop.deliver(shop.refund('re_9', 1_00));
  assert.deepEqual(await shop.books(), [0n, 1_00n]);
  clock.advance(100 * HOUR_MS);
  await shop.round();
  assert.equal(await shop.state(), 'running');
  assert.equal((await shop.events()).at(-1), 'billing.debt_due');
});

test('a won dispute resumes the VMs that it suspended, and VMs that were off stay off', async (t) => {
  const shop = await indebtedShop(t, 1);
  const off = await shop.buy('off');
  await shop.customer.must({ method: 'POST', path: `/v1/vm/${off}/stop` });
  await shop.work();
  await shop.deliver(shop.dispute(DISPUTED));
  await shop.round();
  shop.clock.advance(HOUR_MS);
  await shop.round();
  assert.deepEqual([await shop.state(), await shop.state(off)], ['suspended', 'suspended']);
  await shop.deliver(shop.dispute({ ...DISPUTED, seconds: 120, status: 'won' }));
  await shop.round();
  assert.deepEqual([await shop.state(), await shop.state(off)], ['running', 'stopped']);
  assert.deepEqual(await shop.books(), [50_00n - 2n * 6_99n, 0n]);
});

test('one that is off for a debt when its period ends owes no grace, and is deleted by the rules', async (t) => {
  const shop = await indebtedShop(t, 24);
  await shop.deliver(shop.dispute(DISPUTED));
  await shop.round();
  await shop.comes('2026-01-10T00:00:00Z');
  assert.equal(await shop.state(), 'suspended');
  const end = (await shop.of()).billing_period_end_at;
  await shop.comes(end.toISOString());
  const { suspended_at, grace_ended_at } = await shop.of();
  assert.ok(suspended_at && suspended_at.getTime() - end.getTime() < 60_000);
  assert.deepEqual(grace_ended_at, end, 'it was off');
  // Paying the debt alone does not start the VM again. Then it is paid like any other VM, without a grace period.
  await shop.credit(6_99n);
  await shop.round();
  assert.equal(await shop.state(), 'suspended');
  assert.equal((await shop.of()).debt_suspended_at, null);
  await shop.credit(6_99n);
  await shop.round();
  assert.equal(await shop.state(), 'running');
  assert.deepEqual(await shop.books(), [0n, 0n]);

  await shop.deliver(shop.refund('re_9', 1_00));
  await shop.round();
  const deleted = new Date((await shop.of()).billing_period_end_at.getTime() + 14 * 24 * HOUR_MS);
  shop.clock.advance(25 * HOUR_MS);
  await shop.round();
  for (const days of [14, 3, 0])
    await shop.comes(new Date(deleted.getTime() - days * 24 * HOUR_MS + 60_000).toISOString());
  assert.ok((await shop.of()).deleted_at, 'two weeks after the end of its period');
  assert.ok((await shop.events()).includes('billing.deletion_due'));
  await shop.sound();
});

test('promotional credit renews one that is off for a debt, which stays off', async (t) => {
  const shop = await indebtedShop(t, 24);
  await shop.deliver(shop.dispute(DISPUTED));
  await shop.round();
  await shop.comes('2026-01-10T00:00:00Z');
  await shop.customer.grantPromo(10_00n, new Date('2027-01-01T00:00:00Z'));
  await shop.comes('2026-02-02T00:00:00Z');
  assert.equal(await shop.state(), 'suspended');
  const { billing_period_end_at, suspended_at, unpaid_since } = await shop.of();
  assert.ok(billing_period_end_at > new Date('2026-02-28T00:00:00Z'));
  assert.deepEqual([suspended_at, unpaid_since], [null, null]);
  await shop.credit(6_99n);
  await shop.round();
  assert.equal(await shop.state(), 'running');
  await shop.sound();
});

test('a debt-suspended VM that is deleted pays the debt with the rest of its month', async (t) => {
  const shop = await indebtedShop(t, 24);
  await shop.deliver(shop.dispute(DISPUTED));
  await shop.round();
  await shop.comes('2026-01-16T12:00:00Z');
  const { refund } = await shop.customer.must({ method: 'DELETE', path: `/v1/vm/${shop.id}` });
  await shop.round();
  const [available, owed] = await shop.books();
  assert.deepEqual([available, owed], [0n, 6_99n - BigInt(refund.amount_minor)]);
});

test('the setting takes effect from the time it is added, and ends with it', async (t) => {
  const shop = await indebtedShop(t);
  await shop.deliver(shop.dispute(DISPUTED));
  await shop.comes('2026-01-10T00:00:00Z');
  shop.services.catalog.debt = { suspend_after_hours: 24 };
  await shop.round();
  assert.equal(await shop.state(), 'running', 'nobody is switched off without the warning');
  await shop.comes('2026-01-11T00:01:00Z');
  assert.equal(await shop.state(), 'suspended');
  shop.services.catalog.debt = undefined;
  await shop.round();
  assert.equal(await shop.state(), 'running');
  assert.equal((await lookUpWallet(shop.db, shop.accountId)).claimed_minor, 6_99n);
  await shop.sound();
});
