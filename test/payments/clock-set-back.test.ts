import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listPaymentMethods, putAutoTopUp } from '../../server/db/queries/money/payment-methods.ts';
import { listTopUps } from '../../server/db/queries/money/top-ups.ts';
import { refundTopUp } from '../../server/payments/refund-top-up.ts';
import { isRemembered } from '../../server/payments/remembered.ts';
import { paidShop } from './support/paid-shop.ts';
import { paymentShop } from './support/shop.ts';
import type { Thing } from './support/stripe.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const YEAR_MS = 365 * 24 * HOUR_MS;

test('a clock that was a year ahead does not stop the comparison with the provider', async (t) => {
  const shop = await paymentShop(t);
  const { stripe, clock, look, available } = shop;
  clock.advance(YEAR_MS);
  await look();
  clock.putBack(YEAR_MS);
  const { topUp } = await shop.start(shop.wish('stripe', 50_00n));
  stripe.pay(shop.session(topUp).id);
  clock.advance(MINUTE_MS);
  await look();
  assert.equal(await available(), 50_00n, 'the event was lost, and the payment is found');
  const lists = () => stripe.requests.filter((request) => request === 'GET /v1/payment_intents').length;
  const before = lists();
  clock.advance(HOUR_MS);
  await look();
  assert.equal(lists(), before, 'once a day from then on');
  await shop.sound();
});

test('charges, refunds and payments without an answer are checked even if the clock was set back', async (t) => {
  const shop = await paidShop(t);
  const { stripe, db, accountId: account_id, clock, look, services } = shop;
  await look();
  // A direct debit, a refund and an automatic charge.
  const { topUp } = await shop.start(shop.wish('stripe', 10_00n, { keepMethod: true }));
  for (const event of stripe.pay(shop.session(topUp).id)) await shop.deliver(event);
  const [method] = await listPaymentMethods(db, account_id);
  const { topUp: debit } = await shop.start(shop.wish('stripe', 7_00n));
  const [{ data }] = stripe.pay(shop.session(debit).id) as [Thing];
  data.object.status = 'processing';
  await shop.deliver(stripe.event('payment_intent.processing', data.object));
  stripe.mishaps.push('unavailable');
  await refundTopUp(services, { topUp: shop.topUp.id, amountMinor: 20_00n, reason: 'sorry', actor: 'root' });
  await putAutoTopUp(db, {
    ...{ account_id, enabled: true, threshold_minor: 60_00n, amount_minor: 25_00n },
    ...{ payment_method_id: method!.id, failures: 0, next_attempt_at: null, last_error: null },
    updated_at: clock.now(),
  });
  stripe.mishaps.push('unavailable');
  await look();
  assert.equal(stripe.refunds.size, 0);
  data.object.status = 'succeeded';
  clock.putBack(3 * 24 * HOUR_MS);
  await look();
  assert.equal((await shop.find(debit)).status, 'succeeded', 'the direct debit');
  assert.equal(stripe.refunds.size, 1, 'the refund');
  const auto = (await listTopUps(db, account_id, { limit: 9, afterId: null })).find(
    (row) => row.cause === 'auto',
  );
  // The charge may be more than a day old: Stripe could execute the request twice.
  assert.equal(auto!.status, 'failed', 'the charge');
  await shop.sound();
});

test('a request is remembered for a day, and its age is unknown if the clock was set back by hours', () => {
  const at = new Date('2026-01-01T12:00:00Z');
  const after = (hours: number) => new Date(at.getTime() + hours * HOUR_MS);
  for (const hours of [0, 1, 19.9, -0.001, -4])
    assert.equal(isRemembered(at, after(hours)), true, `${hours}`);
  for (const hours of [20, 1000, -4.1, -9000])
    assert.equal(isRemembered(at, after(hours)), false, `${hours}`);
});
