import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import {
  findAutoTopUp,
  listPaymentMethods,
  putAutoTopUp,
} from '../../server/db/queries/money/payment-methods.ts';
import { listTopUps } from '../../server/db/queries/money/top-ups.ts';
import { removeMethod } from '../../server/payments/remove-method.ts';
import { isSigned } from '../../server/payments/stripe/signature.ts';
import { paymentShop } from './support/shop.ts';
import { signatureOf, type Thing, WEBHOOK_SECRET } from './support/stripe.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

test("a signature covers a body, a secret and the time, as Stripe's, for five minutes", () => {
  const body = '{"id":"evt_1","object":"event","text":"ä"}';
  const at = new Date('2026-01-01T00:00:00Z');
  const later = (minutes: number) => new Date(at.getTime() + minutes * MINUTE_MS);
  const header = signatureOf(body, at);
  const bytes = Buffer.from(body);
  for (const minutes of [0, 5, -5]) assert.ok(isSigned(bytes, header, WEBHOOK_SECRET, later(minutes)));
  for (const minutes of [5.1, -5.1, 600]) assert.ok(!isSigned(bytes, header, WEBHOOK_SECRET, later(minutes)));
  const good = header.split('v1=')[1]!;
  const both = `t=${at.getTime() / 1000},v1=${'0'.repeat(64)},v1=${good},v0=${good}`;
  assert.ok(isSigned(bytes, both, WEBHOOK_SECRET, at), 'while a secret is being replaced there are two');
  for (const [forged, secret, of] of [
    [header, 'whsec_other', bytes],
    [header, WEBHOOK_SECRET, Buffer.from(`${body} `)],
    [header.replace('v1=', 'v0='), WEBHOOK_SECRET, bytes],
    [header.replace(/t=\d+/, `t=${at.getTime() / 1000 + 1}`), WEBHOOK_SECRET, bytes],
    [header.slice(0, -2), WEBHOOK_SECRET, bytes],
    ['', WEBHOOK_SECRET, bytes],
    ['t=,v1=', WEBHOOK_SECRET, bytes],
    [undefined, WEBHOOK_SECRET, bytes],
  ] as const)
    assert.ok(!isSigned(of, forged, secret, at), String(forged));
});

test('a payment at Stripe is in the wallet once, with events in any order', async (t) => {
  const shop = await paymentShop(t);
  const { stripe, wish, start, deliver, session, find, available } = shop;
  const { topUp, next } = await start(wish('stripe', 50_00n, { keepMethod: true }));
  assert.equal(topUp.status, 'pending');
  assert.deepEqual(next, { kind: 'redirect', url: session(topUp).url });
  assert.ok(session(topUp).success_url.endsWith(`/billing/top-ups/${topUp.id}`));
  assert.equal(await deliver(stripe.event('checkout.session.completed', session(topUp))), 200);
  assert.equal((await find(topUp)).status, 'pending', 'a session that is completed is not always paid');

  const [succeeded, completed] = stripe.pay(session(topUp).id) as [Thing, Thing];
  const intent = succeeded.data.object;
  const failed = { ...intent, last_payment_error: { message: 'Try another card.' } };
  assert.equal(await deliver(stripe.event('payment_intent.payment_failed', failed)), 200);
  assert.equal((await find(topUp)).status, 'pending', 'the customer tries another card');

  for (const event of [completed, succeeded, completed, succeeded]) assert.equal(await deliver(event), 200);
  assert.equal(await deliver(stripe.event('checkout.session.expired', session(topUp))), 200);
  const paid = await find(topUp);
  assert.deepEqual([paid.status, paid.provider_ref], ['succeeded', intent.id]);
  assert.equal(await available(), 50_00n);
  const [method] = await listPaymentMethods(shop.db, shop.accountId);
  assert.deepEqual([method?.label, method?.expires_on], ['visa 4242', '2030-04']);
  assert.equal(paid.payment_method_id, method!.id);

  const { topUp: second } = await start(wish('stripe', 5_00n));
  assert.equal(session(second).customer, method!.customer_ref);
  assert.equal(await deliver(stripe.event('checkout.session.expired', session(second))), 200);
  assert.equal((await find(second)).status, 'expired');
  const late = stripe.pay(session(second).id);
  assert.deepEqual(
    await Promise.all([...late, ...late].map((event) => deliver(event))),
    [200, 200, 200, 200],
  );
  assert.equal((await find(second)).status, 'succeeded', 'money that is there is there');
  assert.equal(await available(), 55_00n);
  await shop.sound();
});

test('an event that is forged, old, not ours or of another amount books nothing', async (t) => {
  const shop = await paymentShop(t);
  const { stripe, clock, wish, start, deliver, session, find, available } = shop;
  const { topUp } = await start(wish('stripe', 50_00n));
  const [succeeded, completed] = stripe.pay(session(topUp).id) as [Thing, Thing];
  assert.equal(await deliver(succeeded, { secret: 'whsec_other' }), 400);
  assert.equal(await deliver(succeeded, { at: new Date(clock.now().getTime() - 10 * MINUTE_MS) }), 400);
  const dearer = { ...succeeded, data: { object: { ...succeeded.data.object, amount_received: 500_00 } } };
  assert.equal(await deliver(succeeded, { body: JSON.stringify(dearer) }), 400, 'the body was changed');
  assert.equal(await deliver(dearer), 200);
  const foreign = { ...completed, data: { object: { ...completed.data.object, currency: 'usd' } } };
  assert.equal(await deliver(foreign), 200);
  const others = ['top_00000000000000000000000000', 'x', "top_' or true --", 7].map((id) => ({
    ...succeeded,
    data: { object: { ...succeeded.data.object, metadata: { vauban_top_up: id } } },
  }));
  for (const event of [...others, {}, [], null, 7, { type: 'payment_intent.succeeded', data: null }])
    assert.equal(await deliver(event as Thing), 200);
  assert.equal((await find(topUp)).status, 'pending');
  assert.equal(await available(), 0n);

  const { topUp: bank } = await start(wish('bank_transfer', 50_00n));
  const crossed = { ...succeeded.data.object, metadata: { vauban_top_up: bank.id } };
  assert.equal(await deliver(stripe.event('payment_intent.succeeded', crossed)), 200);
  assert.equal((await find(bank)).status, 'pending', 'Stripe has no say in what comes by a bank');

  assert.equal(await deliver(succeeded), 200);
  assert.equal(await available(), 50_00n);
  const twice = {
    ...succeeded.data.object,
    metadata: { vauban_top_up: (await start(wish('stripe', 50_00n))).topUp.id },
  };
  assert.equal(
    await deliver(stripe.event('payment_intent.succeeded', twice)),
    500,
    'one payment is one top-up',
  );
  assert.equal(await available(), 50_00n);
  await shop.sound();
});

test('a flood of requests without a signature is refused before it is read, and a long body at once', async (t) => {
  const { http, deliver, stripe, clock } = await paymentShop(t);
  const post = (payload: string) =>
    http.inject({
      method: 'POST',
      url: '/webhooks/stripe',
      payload,
      headers: { 'content-type': 'text/plain' },
    });
  assert.equal((await post('x'.repeat(200_000))).statusCode, 413);
  const statuses = new Set<number>();
  for (let n = 0; n < 70; n++) statuses.add((await post('{}')).statusCode);
  assert.deepEqual([...statuses], [400, 429]);
  const refused = await post('{}');
  assert.ok(Number(refused.headers['retry-after']) > 0);
  clock.advance(MINUTE_MS);
  assert.equal(await deliver(stripe.event('ping', {})), 200);
});

test('if Stripe does not answer nothing is written, and a refusal is not the customer’s fault', async (t) => {
  const shop = await paymentShop(t);
  const { stripe, wish, start, db, accountId } = shop;
  for (const mishap of ['unavailable', 'silence'] as const) {
    stripe.mishaps.push(mishap);
    await assert.rejects(start(wish('stripe', 50_00n)), { code: 'service_unavailable' });
  }
  assert.deepEqual(await listTopUps(db, accountId, { limit: 10, afterId: null }), []);
  const shut = await paymentShop(t, { VAUBAN_STRIPE_BASE_URL: 'http://127.0.0.1:1' });
  await assert.rejects(shut.start(shut.wish('stripe', 50_00n)), { code: 'service_unavailable' });
  const wrong = await paymentShop(t, {
    VAUBAN_STRIPE_SECRET_KEY: 'sk_test_wrong',
    VAUBAN_STRIPE_BASE_URL: stripe.url,
  });
  await assert.rejects(wrong.start(wrong.wish('stripe', 50_00n)), { code: 'service_unavailable' });
});

/** A shop whose customer has a card at Stripe and automatic top-ups. */
async function withCard(...[t]: Parameters<typeof paymentShop>) {
  const shop = await paymentShop(t);
  const { stripe, wish, start, deliver, session, db, accountId, clock } = shop;
  const { topUp } = await start(wish('stripe', 5_00n, { keepMethod: true }));
  for (const event of stripe.pay(session(topUp).id)) await deliver(event);
  const [method] = await listPaymentMethods(db, accountId);
  // Ids of the same instant have no order.
  clock.advance(1);
  const set = () =>
    putAutoTopUp(db, {
      account_id: accountId,
      enabled: true,
      threshold_minor: 20_00n,
      amount_minor: 25_00n,
      payment_method_id: method!.id,
      failures: 0,
      next_attempt_at: null,
      last_error: null,
      updated_at: clock.now(),
    });
  // Compares the books, as after each start.
  await shop.look();
  await set();
  const auto = async () => {
    const [row] = await db.query<Thing>(sql`select * from auto_top_ups where account_id = ${accountId}`);
    return row!;
  };
  const newest = async () => (await listTopUps(db, accountId, { limit: 1, afterId: null }))[0]!;
  return { ...shop, method: method!, set, auto, newest };
}

test('a wallet below its threshold is topped up automatically, once', async (t) => {
  const shop = await withCard(t);
  const { stripe, look, deliver, available, newest } = shop;
  await look();
  await look();
  assert.equal(await available(), 30_00n);
  const topUp = await newest();
  assert.deepEqual([topUp.cause, topUp.status], ['auto', 'succeeded']);
  const intent = stripe.intents.get(topUp.provider_ref!)!;
  assert.deepEqual(
    [intent.customer, intent.payment_method],
    [shop.method.customer_ref, shop.method.method_ref],
  );
  assert.equal(await deliver(stripe.event('payment_intent.succeeded', intent)), 200);
  assert.equal(await available(), 30_00n);
  await shop.sound();
});

test('an unanswered charge is checked until its result is known, and is made once', async (t) => {
  const shop = await withCard(t);
  const { stripe, clock, look, available, newest } = shop;
  stripe.mishaps.push('silence');
  await look();
  assert.equal(await available(), 5_00n);
  assert.equal((await newest()).status, 'pending');
  stripe.mishaps.push('unavailable');
  clock.advance(6 * MINUTE_MS);
  await look();
  clock.advance(6 * MINUTE_MS);
  await look();
  assert.equal(await available(), 30_00n);
  assert.equal([...stripe.intents.values()].filter(({ amount }) => amount === 25_00).length, 1);
  await shop.sound();
});

test('a charge that never gets an answer is given up, and booked if it was made after all', async (t) => {
  const shop = await withCard(t);
  const { stripe, clock, look, deliver, available, newest, auto } = shop;
  stripe.mishaps.push('silence');
  await look();
  const [made] = [...stripe.intents.values()].filter(({ amount }) => amount === 25_00);
  clock.advance(21 * HOUR_MS);
  stripe.mishaps.push('unavailable', 'unavailable');
  await look();
  const givenUp = await newest();
  assert.deepEqual([givenUp.status, (await auto()).failures], ['failed', 1]);
  assert.equal(await deliver(stripe.event('payment_intent.succeeded', made!)), 200);
  assert.equal(await available(), 30_00n);
  assert.deepEqual([(await newest()).status, (await auto()).failures], ['succeeded', 0]);
  await shop.sound();
});

test('a card that is declined is tried some more times, and then turned off', async (t) => {
  const shop = await withCard(t);
  const { stripe, clock, look, deliver, available, auto, newest, set, method } = shop;
  stripe.declined.add(method.method_ref);
  const tries: number[] = [];
  for (let hour = 0; hour < 100; hour++) {
    await look();
    tries.push((await auto()).failures);
    const failed = stripe.intents.get((await newest()).provider_ref ?? '');
    if (failed) assert.equal(await deliver(stripe.event('payment_intent.payment_failed', failed)), 200);
    clock.advance(HOUR_MS);
  }
  assert.deepEqual([...new Set(tries)], [1, 2, 3, 4]);
  assert.deepEqual([(await auto()).enabled, (await auto()).last_error], [false, 'Your card was declined.']);
  assert.equal(await available(), 5_00n);
  stripe.declined.clear();
  await set();
  await look();
  assert.deepEqual([await available(), (await auto()).failures], [30_00n, 0]);
  await shop.sound();
});

test('a card is charged at most five times a day, whatever spends the money', async (t) => {
  const shop = await withCard(t);
  const { db, clock, look, accountId } = shop;
  const charged = async () =>
    (await listTopUps(db, accountId, { limit: 50, afterId: null })).filter(({ cause }) => cause === 'auto')
      .length;
  for (let hour = 0; hour < 12; hour++) {
    const left = await shop.available();
    if (left > 0n) await shop.customer.payOut(left);
    await look();
    clock.advance(HOUR_MS);
  }
  assert.equal(await charged(), 5);
});

test('a method that is removed is charged no more, here or at Stripe', async (t) => {
  const shop = await paymentShop(t);
  const { stripe, db, services, accountId, wish, start, deliver, session, look, available } = shop;
  const { topUp } = await start(wish('stripe', 20_00n, { keepMethod: true }));
  for (const event of stripe.pay(session(topUp).id)) await deliver(event);
  const [method] = await listPaymentMethods(db, accountId);
  await putAutoTopUp(db, {
    account_id: accountId,
    enabled: true,
    threshold_minor: 50_00n,
    amount_minor: 30_00n,
    payment_method_id: method!.id,
    failures: 0,
    next_attempt_at: null,
    last_error: null,
    updated_at: shop.clock.now(),
  });
  const remove = () => db.transaction((tx) => removeMethod(tx, services, accountId, method!.id));
  await remove();
  assert.deepEqual(await listPaymentMethods(db, accountId), []);
  assert.equal((await findAutoTopUp(db, accountId))?.enabled, false);
  await look();
  assert.equal(await available(), 20_00n);
  await assert.rejects(remove(), { code: 'not_found' });
  // The request is sent after the transaction has committed.
  const detach = `POST /v1/payment_methods/${method!.method_ref}/detach`;
  while (!stripe.requests.includes(detach)) await new Promise((turn) => setImmediate(turn));
  await shop.sound();
});
