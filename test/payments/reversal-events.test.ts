import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addTraffic } from '../../server/db/queries/vms/bandwidth.ts';
import { MAX_BALANCE_MINOR } from '../../server/domain/billing/money.ts';
import { refundTopUp } from '../../server/payments/refund-top-up.ts';
import { paidShop } from './support/paid-shop.ts';

const GB = 1_000_000_000;
const LOOK = /check Stripe/;

test('an event about our money whose amount cannot be booked is left to the operator', async (t) => {
  const shop = await paidShop(t);
  const { deliver, dispute, refund, stripe, intent, services, books } = shop;
  const error = t.mock.method(services.logger, 'error');
  /** Returns the amounts that the log asks the operator to look at. */
  const logged = () =>
    error.mock.calls.map(({ arguments: line }) => {
      const [about, message] = line as unknown as [{ amount: string }, string];
      assert.match(message, LOOK);
      return about.amount;
    });
  for (const event of [
    dispute({ seconds: 0, status: 'needs_response', amount: 0 }),
    refund('re_1', 0),
    refund('re_2', 10.5),
    stripe.event('payment_intent.succeeded', { ...intent, amount_received: 0.5 }),
  ])
    assert.equal(await deliver(event), 200);
  assert.deepEqual(logged(), ['0', '0', '10.5', '0.5']);
  const foreign = { ...refund('re_3', 0).data.object, payment_intent: 'pi_unknown' };
  assert.equal(await deliver(stripe.event('refund.updated', foreign)), 200);
  assert.equal(logged().length, 4, 'of another application at the same account');
  assert.deepEqual(await books(), [50_00n, 0n]);
});

test('a won dispute is refunded although its event has no amount', async (t) => {
  const { deliver, dispute, books } = await paidShop(t);
  await deliver(dispute({ seconds: 0, status: 'needs_response', amount: 20_00 }));
  assert.deepEqual(await books(), [30_00n, 0n]);
  assert.equal(await deliver(dispute({ seconds: 5, status: 'won', amount: 0 })), 200);
  assert.deepEqual(await books(), [50_00n, 0n]);
});

test('money that comes back, or that was paid, finds its place in a full wallet', async (t) => {
  const shop = await paidShop(t);
  const { deliver, dispute, credit, stripe, services, topUp, books, available } = shop;
  const later = await shop.start(shop.wish('stripe', 10_00n));
  stripe.refundStatus = 'pending';
  await refundTopUp(services, { topUp: topUp.id, amountMinor: 5_00n, reason: 'asked', actor: 'root' });
  await deliver(dispute({ seconds: 0, status: 'needs_response', amount: 20_00 }));
  await credit(MAX_BALANCE_MINOR - (await available()));
  await assert.rejects(credit(1n), { code: 'validation_failed' }, 'what can be refused is refused');
  assert.equal(await deliver(dispute({ seconds: 5, status: 'won', amount: 20_00 })), 200);
  const made = [...stripe.refunds.values()].at(-1)!;
  assert.equal(await deliver(stripe.event('refund.updated', { ...made, status: 'failed' })), 200);
  for (const event of stripe.pay(shop.session(later.topUp).id)) assert.equal(await deliver(event), 200);
  assert.deepEqual(await books(), [MAX_BALANCE_MINOR + 35_00n, 0n]);
});

test("of two amounts of one second, Stripe's current one counts", async (t) => {
  const { deliver, dispute, stripe, books, services } = await paidShop(t);
  const less = dispute({ seconds: 0, status: 'needs_response', amount: 20_00 });
  const more = dispute({ seconds: 0, status: 'needs_response', amount: 35_00 });
  for (const event of [more, less, more, less]) {
    assert.equal(await deliver(event), 200);
    assert.deepEqual(await books(), [15_00n, 0n]);
  }
  dispute({ seconds: 0, status: 'needs_response', amount: 10_00 });
  await Promise.all([deliver(less), deliver(more)]);
  assert.deepEqual(await books(), [40_00n, 0n]);
  // While Stripe does not reply, the event has to be delivered again.
  stripe.mishaps.push('unavailable');
  assert.ok((await deliver(less)) >= 500);
  const error = t.mock.method(services.logger, 'error');
  stripe.disputes.clear();
  assert.equal(await deliver(less), 200);
  assert.match(String(error.mock.calls.at(-1)?.arguments.at(-1)), LOOK);
  assert.deepEqual(await books(), [40_00n, 0n]);
});

test('the usage of a deleted VM is not paid with money that is owed', async (t) => {
  const shop = await paidShop(t);
  const { customer, db, deliver, dispute, services, books, spend, goodwill, clock } = shop;
  services.catalog.usage = { traffic_per_gb: '1' };
  for (const plan of services.catalog.plans) plan.bandwidth_gb = 1000;
  const body = { plan: 's1', template: 'debian-12', hostname: 'web-1' };
  const { vm } = await customer.must({ method: 'POST', path: '/v1/vm', body });
  await shop.work();
  await spend(await shop.available());
  await deliver(dispute({ seconds: 0, status: 'needs_response', amount: 50_00 }));
  await goodwill(12_00n);
  assert.deepEqual(await books(), [12_00n, 50_00n], 'the next round collects it');
  await addTraffic(db, [{ vm_id: vm.id, date: '2026-01-01', in_bytes: 0, out_bytes: 1010 * GB }]);
  clock.advance(86_400_000);
  const gone = await customer.must({ method: 'DELETE', path: `/v1/vm/${vm.id}` });
  assert.ok(gone.refund.debt_minor > 900_00, 'the traffic is owed as well');
  assert.deepEqual(
    await books(),
    [0n, 38_00n + BigInt(gone.refund.debt_minor)],
    'the money paid the dispute',
  );
});
