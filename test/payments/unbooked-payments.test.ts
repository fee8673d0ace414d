import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { putAutoTopUp } from '../../server/db/queries/money/payment-methods.ts';
import { insertTopUp, listTopUps } from '../../server/db/queries/money/top-ups.ts';
import { listUnbookedPayments } from '../../server/db/queries/money/unbooked-payments.ts';
import { bookUnbookedPayment } from '../../server/endpoints/operator/unbooked-payments/book-unbooked-payment.ts';
import { dismissUnbookedPayment } from '../../server/endpoints/operator/unbooked-payments/dismiss-unbooked-payment.ts';
import { refundTopUp } from '../../server/payments/refund-top-up.ts';
import { beginTopUp } from '../../server/payments/start-top-up.ts';
import { paymentShop } from './support/shop.ts';
import type { Thing } from './support/stripe.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PAGE = { limit: 100, afterId: null };

type Shop = Awaited<ReturnType<typeof paymentShop>>;

/**
 * A shop whose books were restored from an older copy: the top-ups that `lose` begins and pays at Stripe are missing in
 * them.
 */
async function restoredShop(t: TestContext) {
  const shop = await paymentShop(t);
  const { services, stripe, wish, clock } = shop;
  const lose = async (amountMinor: bigint, accountId = shop.accountId) => {
    const begun = await beginTopUp(services, { ...wish('stripe', amountMinor), accountId });
    const session = [...stripe.sessions.values()].at(-1)!;
    const [succeeded] = stripe.pay(session.id) as [Thing];
    return { topUpId: begun!.id, intent: succeeded.data.object as Thing, succeeded };
  };
  // The old process compared the books before the copy was restored; the new one has not compared them yet.
  const restart = () => {
    services.payments.comparedAt = null;
  };
  await shop.look();
  clock.advance(HOUR_MS);
  restart();
  return { ...shop, lose, restart };
}

const unbooked = ({ db }: Shop) => listUnbookedPayments(db, 'open', PAGE);

/** Books a payment like the operator. */
async function book({ services }: Shop, id: string, account_id?: string) {
  const input = { params: { id }, query: {}, body: { account_id }, actor: 'anna', services };
  return (await bookUnbookedPayment.handle(input as never)) as { data: Thing };
}

async function dismiss({ services }: Shop, id: string) {
  const body = { reason: 'booked by hand' };
  await dismissUnbookedPayment.handle({ params: { id }, query: {}, body, actor: 'anna', services } as never);
}

const code = (expected: string) => (error: { code?: string }) => error.code === expected;

test('a payment that an older copy of the books does not have is listed, and booked on the word of the operator', async (t) => {
  const shop = await restoredShop(t);
  const { topUpId, intent } = await shop.lose(50_00n);
  await shop.look();
  await shop.look();
  const [found, ...more] = await unbooked(shop);
  assert.equal(more.length, 0);
  assert.deepEqual(
    [found!.provider_ref, found!.top_up_id, found!.account_id, found!.amount_minor],
    [intent.id, topUpId, shop.accountId, 50_00n],
  );
  assert.equal(await shop.available(), 0n, 'nothing is booked by itself');
  const { data } = await book(shop, found!.id);
  assert.deepEqual([data.status, data.decided_by], ['booked', 'anna']);
  assert.equal(await shop.available(), 50_00n);
  assert.deepEqual(await unbooked(shop), []);
  await assert.rejects(book(shop, found!.id), code('invalid_state'));
  await assert.rejects(dismiss(shop, found!.id), code('invalid_state'));
  // The top-up behaves like any other, for example when it is disputed.
  const dispute = {
    id: 'dp_1',
    payment_intent: intent.id,
    amount: 50_00,
    currency: 'eur',
    status: 'needs_response',
  };
  assert.equal(await shop.deliver(shop.stripe.event('charge.dispute.created', dispute)), 200);
  assert.equal(await shop.available(), 0n);
  await shop.sound();
});

test('its event is enough to list it, and a compared payment is not listed twice', async (t) => {
  const shop = await restoredShop(t);
  const { succeeded } = await shop.lose(50_00n);
  assert.deepEqual([await shop.deliver(succeeded), await shop.deliver(succeeded)], [200, 200]);
  await shop.look();
  assert.equal((await unbooked(shop)).length, 1);
});

test('a payment whose event was lost is booked, as its top-up is known', async (t) => {
  const shop = await restoredShop(t);
  const { topUp } = await shop.start(shop.wish('stripe', 20_00n));
  shop.stripe.pay(shop.session(topUp).id);
  await shop.look();
  assert.equal((await shop.find(topUp)).status, 'succeeded');
  assert.deepEqual(await unbooked(shop), []);
  // Once a day, without a restart.
  const { topUp: later } = await shop.start(shop.wish('stripe', 30_00n));
  shop.stripe.pay(shop.session(later).id);
  await shop.look();
  assert.equal((await shop.find(later)).status, 'pending');
  shop.clock.advance(DAY_MS);
  await shop.look();
  assert.equal((await shop.find(later)).status, 'succeeded');
  assert.equal(await shop.available(), 50_00n);
  await shop.sound();
});

test('money refunded and disputed before it was booked is not in the wallet afterwards', async (t) => {
  const shop = await restoredShop(t);
  const { intent } = await shop.lose(50_00n);
  const refund = {
    ...{ id: 're_1', payment_intent: intent.id, amount: 10_00, currency: 'eur', status: 'succeeded' },
    // Metadata of a refund that was made here and is no longer in the books.
    metadata: { vauban_refund: 'rfd_00000000000000000000000000' },
    created: shop.stripe.now,
  };
  const dispute = {
    ...{ id: 'dp_1', payment_intent: intent.id, amount: 15_00, currency: 'eur', status: 'needs_response' },
    created: shop.stripe.now,
  };
  shop.stripe.refunds.set(refund.id, refund);
  shop.stripe.disputes.set(dispute.id, dispute);
  await shop.look();
  const [found] = await unbooked(shop);
  shop.stripe.mishaps.push('unavailable');
  await assert.rejects(book(shop, found!.id), code('service_unavailable'));
  assert.equal(await shop.available(), 0n);
  await book(shop, found!.id);
  assert.equal(await shop.available(), 25_00n);
  await shop.sound();
});

test('a refund and a dispute that the copy does not have are booked when the books are compared', async (t) => {
  const shop = await restoredShop(t);
  const { topUp } = await shop.start(shop.wish('stripe', 50_00n));
  const [succeeded] = shop.stripe.pay(shop.session(topUp).id) as [Thing];
  await shop.deliver(succeeded);
  const of = { payment_intent: succeeded.data.object.id, currency: 'eur', created: shop.stripe.now };
  const metadata = { vauban_refund: 'rfd_00000000000000000000000000' };
  shop.stripe.refunds.set('re_1', { ...of, id: 're_1', amount: 10_00, status: 'succeeded', metadata });
  shop.stripe.disputes.set('dp_1', { ...of, id: 'dp_1', amount: 15_00, status: 'lost' });
  await shop.look();
  assert.equal(await shop.available(), 25_00n);
  const rows = () => shop.db.query(sql`select xmin::text, told_at from top_up_reversals order by id`);
  const before = await rows();
  shop.restart();
  await shop.look();
  assert.equal(await shop.available(), 25_00n, 'once');
  assert.deepEqual(await rows(), before, 'what is known is not written again');
  await shop.sound();
});

test('a comparison does not forget when the provider spoke last', async (t) => {
  const shop = await restoredShop(t);
  const { topUp } = await shop.start(shop.wish('stripe', 50_00n));
  const [succeeded] = shop.stripe.pay(shop.session(topUp).id) as [Thing];
  await shop.deliver(succeeded);
  const of = { payment_intent: succeeded.data.object.id, currency: 'eur', created: shop.stripe.now };
  const dispute = { ...of, id: 'dp_1', amount: 15_00, status: 'needs_response' };
  const told = (thing: Thing, created: number) =>
    shop.deliver({ ...shop.stripe.event('charge.dispute.updated', thing), created });
  await told(dispute, shop.stripe.now);
  shop.stripe.disputes.set('dp_1', { ...dispute, amount: 20_00 });
  await shop.look();
  assert.equal(await shop.available(), 30_00n);
  // This event arrives late and is older than the latest known state.
  await told({ ...dispute, amount: 5_00 }, shop.stripe.now - 60);
  assert.equal(await shop.available(), 30_00n);
  await shop.sound();
});

test('one payment that cannot be booked does not keep the others from it', async (t) => {
  const shop = await restoredShop(t);
  const { topUp: full } = await shop.start(shop.wish('stripe', 20_00n));
  const { topUp } = await shop.start(shop.wish('stripe', 30_00n));
  for (const one of [full, topUp]) shop.stripe.pay(shop.session(one).id);
  // As if an event stated another amount; this payment is the last one that is looked up.
  [...shop.stripe.intents.values()].at(-1)!.amount_received = 1_00;
  const [refused] = [...shop.stripe.intents.values()].slice(-1);
  refused!.metadata = { vauban_top_up: full.id };
  await shop.look();
  assert.equal((await shop.find(topUp)).status, 'pending');
  assert.equal((await shop.find(full)).status, 'succeeded', 'the one that has its amount');
  assert.ok(shop.services.payments.comparedAt);
  await shop.sound();
});

test('payments of another installation at the same Stripe account are not listed', async (t) => {
  const shop = await restoredShop(t);
  const { intent, succeeded } = await shop.lose(50_00n);
  intent.metadata.vauban_mark = '0'.repeat(32);
  assert.equal(await shop.deliver(succeeded), 200);
  await shop.look();
  intent.metadata = { vauban_top_up: intent.metadata.vauban_top_up };
  shop.restart();
  await shop.look();
  assert.deepEqual(await unbooked(shop), []);
});

test('if the account is gone too, the payment is listed and can be dismissed', async (t) => {
  const shop = await restoredShop(t);
  await shop.lose(50_00n, 'acc_00000000000000000000000000');
  await shop.look();
  const [found] = await unbooked(shop);
  await assert.rejects(book(shop, found!.id), code('invalid_state'));
  await assert.rejects(book(shop, found!.id, shop.accountId), code('validation_failed'));
  await dismiss(shop, found!.id);
  assert.deepEqual(await unbooked(shop), []);
  shop.restart();
  await shop.look();
  assert.deepEqual(await unbooked(shop), [], 'what was decided stays so');
});

test('no card is charged automatically before the books are compared, or while a payment of the account is unbooked', async (t) => {
  const shop = await restoredShop(t);
  const { topUp } = await shop.start(shop.wish('stripe', 5_00n, { keepMethod: true }));
  for (const event of shop.stripe.pay(shop.session(topUp).id)) await shop.deliver(event);
  const { payment_method_id } = await shop.find(topUp);
  const { intent } = await shop.lose(50_00n);
  await shop.db.transaction((tx) =>
    putAutoTopUp(tx, {
      account_id: shop.accountId,
      enabled: true,
      threshold_minor: 20_00n,
      amount_minor: 50_00n,
      payment_method_id,
      failures: 0,
      next_attempt_at: null,
      last_error: null,
      updated_at: shop.clock.now(),
    }),
  );
  const charges = () => shop.stripe.requests.filter((request) => request === 'POST /v1/payment_intents');
  shop.stripe.mishaps.push('unavailable');
  await shop.look();
  assert.equal(shop.services.payments.comparedAt, null);
  await shop.look();
  assert.deepEqual(charges(), []);
  const [found] = await unbooked(shop);
  assert.equal(found!.provider_ref, intent.id);
  await book(shop, found!.id);
  await shop.look();
  assert.deepEqual(charges(), [], 'the wallet has enough');
  assert.equal(await shop.available(), 55_00n);
});

test('a charge has only its customer, who is known; and a list of any length is read completely', async (t) => {
  const shop = await restoredShop(t);
  const { topUp } = await shop.start(shop.wish('stripe', 5_00n, { keepMethod: true }));
  for (const event of shop.stripe.pay(shop.session(topUp).id)) await shop.deliver(event);
  const { customer } = shop.session(topUp);
  const provider = shop.services.payments.find('stripe')!;
  for (let n = 0; n < 120; n++)
    await provider.charge!({
      id: `top_${String(n).padStart(26, '0')}`,
      amountMinor: 1_00n,
      currency: 'EUR',
      customerRef: customer,
      methodRef: 'pm_1',
    });
  await shop.look();
  const found = await listUnbookedPayments(shop.db, 'open', { ...PAGE, limit: 1_000 });
  assert.equal(found.length, 120);
  assert.ok(found.every(({ account_id }) => account_id === shop.accountId));
  assert.equal((await listTopUps(shop.db, shop.accountId, PAGE)).length, 1);
});

test('a charge and refund after the copy was made are not repeated', async (t) => {
  const shop = await restoredShop(t);
  const { stripe, db, clock, services } = shop;
  const { topUp } = await shop.start(shop.wish('stripe', 50_00n, { keepMethod: true }));
  for (const event of stripe.pay(shop.session(topUp).id)) await shop.deliver(event);
  const { payment_method_id, provider_ref } = await shop.find(topUp);
  // In the copy both are still pending, and Stripe has executed them.
  clock.advance(1_000);
  const charge = { ...(await shop.find(topUp)), id: 'top_00000000000000000000000001', reference: 'TU-COPY' };
  await insertTopUp(db, {
    ...charge,
    ...{ cause: 'auto', status: 'pending', payment_id: null, settled_at: null, provider_ref: null },
    ...{ payment_method_id, created_at: clock.now(), retry_at: clock.now() },
  });
  const intent = { ...stripe.intents.get(provider_ref!)!, id: 'pi_copy', created: stripe.now };
  stripe.intents.set('pi_copy', { ...intent, metadata: { vauban_top_up: charge.id } });
  stripe.mishaps.push('silence');
  const refund = await refundTopUp(services, {
    topUp: topUp.id,
    amountMinor: 20_00n,
    reason: 'asked',
    actor: 'anna',
  });
  assert.equal(refund.status, 'pending');
  // Much later, Stripe has forgotten the earlier request.
  clock.advance(3 * DAY_MS);
  stripe.requests.length = 0;
  await shop.look();
  assert.deepEqual(
    stripe.requests.filter((request) => request.startsWith('POST')),
    [],
  );
  assert.equal((await shop.find({ id: charge.id })).status, 'succeeded');
  assert.equal(await shop.available(), 80_00n);
  await shop.sound();
});

test('a charge that Stripe knows nothing of is not made days after it was asked for', async (t) => {
  const shop = await restoredShop(t);
  const { stripe, db, clock } = shop;
  const { topUp } = await shop.start(shop.wish('stripe', 50_00n, { keepMethod: true }));
  for (const event of stripe.pay(shop.session(topUp).id)) await shop.deliver(event);
  const paid = await shop.find(topUp);
  await insertTopUp(db, {
    ...{
      ...paid,
      id: 'top_00000000000000000000000001',
      reference: 'TU-COPY',
      cause: 'auto',
      status: 'pending',
    },
    ...{
      payment_id: null,
      settled_at: null,
      provider_ref: null,
      created_at: clock.now(),
      retry_at: clock.now(),
      expires_at: null,
    },
  });
  clock.advance(3 * DAY_MS);
  await shop.look();
  assert.ok(!stripe.requests.includes('POST /v1/payment_intents'));
  assert.equal((await shop.find({ id: 'top_00000000000000000000000001' })).status, 'failed');
  await shop.sound();
});

test('a top-up that was paid twice is listed, and the second payment can be booked', async (t) => {
  const shop = await restoredShop(t);
  const { topUp } = await shop.start(shop.wish('stripe', 50_00n));
  const [succeeded] = shop.stripe.pay(shop.session(topUp).id) as [Thing];
  await shop.deliver(succeeded);
  const again = { ...succeeded.data.object, id: 'pi_again' };
  shop.stripe.intents.set(again.id, again);
  for (let n = 0; n < 2; n++)
    assert.equal(await shop.deliver(shop.stripe.event('payment_intent.succeeded', again)), 200);
  await shop.look();
  const [found, ...more] = await unbooked(shop);
  assert.deepEqual([found!.provider_ref, more.length], ['pi_again', 0]);
  await book(shop, found!.id);
  assert.equal(await shop.available(), 100_00n);
  await shop.sound();
});

test('a passing failure is no reason to leave a payment out', async (t) => {
  const shop = await restoredShop(t);
  await shop.lose(50_00n);
  await shop.db.query(sql`alter table unbooked_payments rename to unbooked_payments_away`);
  await shop.look();
  await shop.db.query(sql`alter table unbooked_payments_away rename to unbooked_payments`);
  assert.equal(shop.services.payments.comparedAt, null);
  await shop.look();
  assert.equal((await unbooked(shop)).length, 1);
});
