import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { listPaymentMethods, putAutoTopUp } from '../../server/db/queries/money/payment-methods.ts';
import { listTopUps, systemListTopUps } from '../../server/db/queries/money/top-ups.ts';
import { presentTopUp as forOperators } from '../../server/endpoints/operator/top-ups/top-up-shape.ts';
import { presentTopUp } from '../../server/endpoints/panel/money/top-up-shape.ts';
import { callOff } from '../../server/payments/cancel-top-up.ts';
import { nextStepOf } from '../../server/payments/start-top-up.ts';
import { paymentShop } from './support/shop.ts';
import type { Thing } from './support/stripe.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A shop with a saved card, an empty wallet, and direct debit. */
async function slowShop(t: TestContext) {
  const shop = await paymentShop(t);
  const { stripe, db, accountId: account_id, clock } = shop;
  const { topUp: first } = await shop.start(shop.wish('stripe', 5_00n, { keepMethod: true }));
  for (const event of stripe.pay(shop.session(first).id)) await shop.deliver(event);
  const [method] = await listPaymentMethods(db, account_id);
  /** The customer has given a mandate on the page; the payment follows days later. */
  const debit = async (amountMinor: bigint) => {
    const { topUp } = await shop.start(shop.wish('stripe', amountMinor));
    const [succeeded, completed] = stripe.pay(shop.session(topUp).id) as [Thing, Thing];
    const intent: Thing = succeeded.data.object;
    intent.status = 'processing';
    completed.data.object = { ...completed.data.object, payment_status: 'unpaid' };
    const end = async (status: string) => void Object.assign(intent, { status });
    const processing = stripe.event('payment_intent.processing', intent);
    return { topUp, intent, end, events: [processing, completed] };
  };
  const automatic = (threshold_minor: bigint, amount_minor = 25_00n) =>
    putAutoTopUp(db, {
      ...{ account_id, enabled: true, threshold_minor, amount_minor, payment_method_id: method!.id },
      ...{ failures: 0, next_attempt_at: null, last_error: null, updated_at: clock.now() },
    });
  const charges = async () =>
    (await listTopUps(db, account_id, { limit: 50, afterId: null })).filter(({ cause }) => cause === 'auto');
  const shown = async (topUp: { id: string }) => {
    const row = await shop.find(topUp);
    assert.equal(forOperators(row).status, presentTopUp(row).status);
    return presentTopUp(row).status;
  };
  return { ...shop, method: method!, debit, automatic, charges, shown };
}

test('a direct debit is shown as processing until its event, however late', async (t) => {
  for (const order of [0, 1]) {
    const shop = await slowShop(t);
    const { deliver, clock, look, shown, find, stripe, db } = shop;
    const { topUp, events, intent, end } = await shop.debit(50_00n);
    assert.equal(await deliver(events[order]!), 200);
    assert.equal(await shown(topUp), 'processing');
    assert.equal(nextStepOf(shop.services, await find(topUp)), null, 'there is nothing left to do');
    for (let day = 0; day < 20; day++) {
      clock.advance(DAY_MS);
      await look();
    }
    assert.equal(await shown(topUp), 'processing', 'it neither fails nor expires');
    assert.equal(await deliver(events[1 - order]!), 200);
    const listed = await systemListTopUps(db, { status: 'processing' }, { limit: 9, afterId: null });
    assert.deepEqual(
      listed.map(({ id }) => id),
      [topUp.id],
    );
    assert.deepEqual(await systemListTopUps(db, { status: 'pending' }, { limit: 9, afterId: null }), []);
    await assert.rejects(callOff(shop.services, shop.accountId, topUp.id), { code: 'invalid_state' });
    await end('succeeded');
    assert.equal(await deliver(stripe.event('payment_intent.succeeded', intent)), 200);
    assert.equal(await shown(topUp), 'succeeded');
    assert.equal(await shop.available(), 55_00n);
    for (const event of events) await deliver(event);
    assert.equal(await shown(topUp), 'succeeded', 'what comes late changes nothing');
    await shop.sound();
  }
});

test('a direct debit that was given after its page had expired here is processing too', async (t) => {
  const shop = await slowShop(t);
  const { topUp, events, intent } = await shop.debit(50_00n);
  shop.clock.advance(2 * HOUR_MS);
  // Stripe does not know the payment yet.
  shop.stripe.intents.delete(intent.id);
  await shop.look();
  assert.equal(await shop.shown(topUp), 'expired');
  await shop.deliver(events[1]!);
  assert.equal(await shop.shown(topUp), 'processing');
  await shop.sound();
});

test('one whose first event is lost is found by the comparison, one whose last event is lost by the recheck', async (t) => {
  for (const [status, shownAs, available] of [
    ['succeeded', 'succeeded', 55_00n],
    ['requires_payment_method', 'failed', 5_00n],
    ['canceled', 'failed', 5_00n],
  ] as const) {
    const shop = await slowShop(t);
    const { look, clock, shown } = shop;
    const { topUp, end } = await shop.debit(50_00n);
    await look();
    assert.equal(await shown(topUp), 'processing');
    clock.advance(5 * HOUR_MS);
    await end(status);
    await look();
    assert.equal(await shown(topUp), 'processing', 'not asked yet');
    clock.advance(HOUR_MS);
    await look();
    assert.equal(await shown(topUp), shownAs);
    assert.equal(await shop.available(), available);
    await shop.sound();
  }
});

test('an event about the failure ends it, and Stripe that does not answer does not', async (t) => {
  const shop = await slowShop(t);
  const { look, clock, shown, stripe, deliver, session } = shop;
  const { topUp, events, intent, end } = await shop.debit(50_00n);
  await deliver(events[0]!);
  await look();
  clock.advance(6 * HOUR_MS);
  stripe.mishaps.push('unavailable');
  await end('requires_payment_method');
  await look();
  assert.equal(await shown(topUp), 'processing');
  assert.equal(await deliver(stripe.event('checkout.session.async_payment_failed', session(topUp))), 200);
  assert.equal(await shown(topUp), 'failed');
  await deliver(events[1]!);
  assert.equal(await shown(topUp), 'failed', 'an event of before does not bring it back');
  await end('succeeded');
  await deliver(stripe.event('payment_intent.succeeded', intent));
  assert.equal(await shown(topUp), 'succeeded', 'money that comes is booked');
  await shop.sound();
});

test('automatic top-up counts incoming money, and charges only the missing rest', async (t) => {
  const shop = await slowShop(t);
  const { automatic, charges, look, deliver } = shop;
  const { events } = await shop.debit(10_00n);
  await deliver(events[0]!);
  await automatic(15_00n);
  await look();
  assert.deepEqual(await charges(), [], '5.00 are there and 10.00 will be');
  await automatic(15_01n);
  await look();
  assert.equal((await charges()).length, 1);
  await shop.sound();
});

test('an automatic charge that takes days is not made again, and ends by the recheck', async (t) => {
  const shop = await slowShop(t);
  const { automatic, charges, look, stripe, clock, shown } = shop;
  await automatic(20_00n);
  stripe.slow.add(shop.method.method_ref);
  await look();
  const [charge] = await charges();
  assert.equal(await shown(charge!), 'processing');
  for (let day = 0; day < 20; day++) {
    clock.advance(DAY_MS);
    await look();
  }
  assert.equal((await charges()).length, 1);
  assert.equal(await shown(charge!), 'processing');
  const intent = [...stripe.intents.values()].at(-1)!;
  Object.assign(intent, { status: 'succeeded', amount_received: intent.amount });
  clock.advance(6 * HOUR_MS);
  await look();
  assert.equal(await shown(charge!), 'succeeded');
  assert.equal(await shop.available(), 30_00n);
  await shop.sound();
});
