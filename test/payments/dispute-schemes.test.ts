// Customers' possible schemes with disputes and debts. Each test ends with the customer's gain, which must be zero.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { one, sql } from '../../server/db/database.ts';
import { listPaymentMethods, putAutoTopUp } from '../../server/db/queries/money/payment-methods.ts';
import { listTopUps, type TopUpRow } from '../../server/db/queries/money/top-ups.ts';
import { lookUpWallet } from '../../server/db/queries/money/wallets.ts';
import { closeAccount } from '../../server/domain/accounts/account-status.ts';
import { refundTopUp } from '../../server/payments/refund-top-up.ts';
import { indebtedShop } from './support/indebted-shop.ts';
import type { Thing } from './support/stripe.ts';

/** A dispute of the first payment of 50.00. */
const dispute = (seconds: number, status: string, amount = 50_00, id = 'dp_1') => ({
  ...{ id, seconds, status, amount },
});

/** The shop with a scheming customer on the sixteenth: half of the VM's month is used. */
async function schemer(t: TestContext) {
  const shop = await indebtedShop(t);
  const { db, clock, accountId, stripe, customer, session, start, wish } = shop;
  clock.set(new Date('2026-01-16T12:00:00Z'));
  /** Tops up at Stripe; the events arrive when they are delivered. */
  const topUp = async (amountMinor: bigint, keepMethod = false) => {
    const { topUp: made } = await start(wish('stripe', amountMinor, { keepMethod }));
    const events = stripe.pay(session(made).id);
    for (const event of events) await shop.deliver(event);
    return { made, intent: events[0]!.data.object as Thing };
  };
  const disputed = (intent: Thing, seconds: number, status: string, amount: number, id: string) => {
    const what = { id, status, amount, currency: intent.currency, payment_intent: intent.id, metadata: {} };
    const object = { object: 'dispute', ...what };
    stripe.disputes.set(id, object);
    return shop.deliver({
      ...stripe.event('charge.dispute.updated', object),
      created: Date.parse('2026-01-01T00:00:00Z') / 1000 + seconds,
    });
  };
  /**
   * The customer's gain, which must not be positive: the orders' charges less refunds and the wallet's balance, less
   * the money that the hoster really has and still claims. The hoster has the payments that Stripe reports by now and
   * those from a bank.
   */
  const gain = async () => {
    await shop.sound();
    const amounts = (things: Iterable<Thing>) =>
      BigInt([...things].reduce((sum, { amount }) => sum + amount, 0));
    const disputes = [...stripe.disputes.values()].filter(({ status }) => status !== 'won');
    const atStripe = amounts(stripe.intents.values()) - amounts(disputes) - amounts(stripe.refunds.values());
    const { transferred, charged } = await one<{ transferred: bigint; charged: bigint }>(
      db,
      sql`
      select (select coalesce(sum(amount_minor), 0)::bigint from payments
          where account_id = ${accountId} and method = 'bank_transfer') as transferred,
        (select coalesce(sum(amount_minor), 0)::bigint from orders where account_id = ${accountId} and status = 'completed') as charged`,
    );
    const { available_minor, held_minor, claimed_minor } = await lookUpWallet(db, accountId);
    assert.ok(claimed_minor === 0n || available_minor === 0n, 'a debt leaves nothing in the wallet');
    return charged + available_minor + held_minor - (atStripe + transferred) - claimed_minor;
  };
  const buys = async () => {
    const body = { plan: 's1', template: 'debian-12', hostname: 'more' };
    const { status, error } = await customer.call({ method: 'POST', path: '/v1/vm', body });
    return error?.code ?? status;
  };
  const change = async (plan: string) => {
    const body = { plan, allow_reboot: true, resize_disk: false };
    const reply = await customer.call({ method: 'POST', path: `/v1/vm/${shop.id}/change-plan`, body });
    await shop.work();
    return reply.error?.code ?? reply.data.order.amount_minor;
  };
  const drop = async () => {
    const { refund } = await customer.must({ method: 'DELETE', path: `/v1/vm/${shop.id}` });
    await shop.round();
    return BigInt(refund.amount_minor);
  };
  return { ...shop, firstId: shop.topUp.id, topUp, disputed, gain, buys, change, drop };
}

test('dispute, then delete: the refund of the VM pays the debt', async (t) => {
  const shop = await schemer(t);
  await shop.deliver(shop.dispute(dispute(10, 'needs_response')));
  assert.deepEqual(await shop.books(), [0n, 6_99n]);
  const refund = await shop.drop();
  assert.deepEqual(await shop.books(), [0n, 6_99n - refund]);
  assert.ok(refund >= 3_48n && refund <= 3_50n, `half of the month: ${refund}`);
  assert.equal(await shop.gain(), 0n);
  assert.equal(await shop.buys(), 'insufficient_funds');
});

test('delete, then dispute: the debt is the used amount', async (t) => {
  const shop = await schemer(t);
  const refund = await shop.drop();
  await shop.deliver(shop.dispute(dispute(10, 'lost')));
  assert.deepEqual(await shop.books(), [0n, 6_99n - refund]);
  assert.equal(await shop.gain(), 0n);
});

test('dispute, then downgrade: the difference pays the debt, and up again is refused', async (t) => {
  const shop = await schemer(t);
  const up = await shop.change('d8');
  assert.ok(up > 0, `${up}`);
  shop.clock.advance(24 * 3_600_000);
  await shop.deliver(shop.dispute(dispute(10, 'needs_response')));
  assert.deepEqual(await shop.books(), [0n, 6_99n + BigInt(up)]);
  const down = await shop.change('s2');
  assert.ok(down < 0 && -down < up, `${down} of ${up}`);
  await shop.round();
  assert.deepEqual(await shop.books(), [0n, 6_99n + BigInt(up + down)]);
  assert.equal(await shop.change('d8'), 'insufficient_funds');
  assert.equal(await shop.gain(), 0n);
});

test('upgrade, dispute, then downgrade in one minute: nothing is left over', async (t) => {
  const shop = await schemer(t);
  assert.ok((await shop.change('d8')) > 0);
  await shop.deliver(shop.dispute(dispute(10, 'needs_response')));
  await shop.change('s2');
  await shop.round();
  const [available, owed] = await shop.books();
  assert.equal(available, 0n);
  assert.ok(owed! >= 6_99n, `no less than before: ${owed}`);
  assert.equal(await shop.gain(), 0n);
});

test('a second top-up disputed while the first is: winning one pays the other', async (t) => {
  const shop = await schemer(t);
  const second = await shop.topUp(30_00n);
  await shop.deliver(shop.dispute(dispute(10, 'needs_response')));
  await shop.disputed(second.intent, 20, 'needs_response', 30_00, 'dp_2');
  assert.deepEqual(await shop.books(), [0n, 6_99n]);
  assert.equal(await shop.gain(), 0n);
  await shop.deliver(shop.dispute(dispute(30, 'won')));
  assert.deepEqual(await shop.books(), [43_01n, 0n]);
  await shop.disputed(second.intent, 40, 'lost', 30_00, 'dp_2');
  assert.deepEqual(await shop.books(), [43_01n, 0n]);
  assert.equal(await shop.gain(), 0n);
});

test('dispute, then close the account: it is not closed, with or without its VM', async (t) => {
  const shop = await schemer(t);
  await shop.deliver(shop.dispute(dispute(10, 'needs_response')));
  const close = () => shop.db.transaction((tx) => closeAccount(tx, shop.clock, shop.accountId));
  await assert.rejects(close, { code: 'invalid_state' });
  await shop.drop();
  await assert.rejects(close, { code: 'invalid_state' });
  assert.equal(await shop.gain(), 0n);
});

test('win a dispute after its debt was paid: the money comes back once, and is taken again if it is lost', async (t) => {
  const shop = await schemer(t);
  await shop.deliver(shop.dispute(dispute(10, 'needs_response')));
  await shop.credit(6_99n);
  assert.deepEqual(await shop.books(), [0n, 0n]);
  for (let n = 0; n < 3; n++) await shop.deliver(shop.dispute(dispute(20, 'won')));
  assert.deepEqual(await shop.books(), [50_00n, 0n]);
  assert.equal(await shop.gain(), 0n);
  await shop.spend(50_00n);
  for (let n = 0; n < 3; n++) await shop.deliver(shop.dispute(dispute(30, 'lost')));
  assert.deepEqual(await shop.books(), [0n, 50_00n]);
  assert.equal(await shop.gain(), 0n);
});

test('a dispute of a part that grows, shrinks and grows again takes each unit once', async (t) => {
  const shop = await schemer(t);
  for (const [seconds, amount, available, owed] of [
    [10, 10_00, 33_01n, 0n],
    [20, 45_00, 0n, 1_99n],
    [15, 1_00, 0n, 1_99n],
    [30, 50_00, 0n, 6_99n],
    [40, 20_00, 23_01n, 0n],
    [50, 50_00, 0n, 6_99n],
  ] as const) {
    await shop.deliver(shop.dispute(dispute(seconds, 'needs_response', amount)));
    assert.deepEqual(await shop.books(), [available, owed], `${seconds} ${amount}`);
    // The third event arrives late and is older than Stripe's present state.
    if (seconds !== 15) assert.equal(await shop.gain(), 0n);
  }
});

test('pay the debt with the card whose payment is disputed, and dispute that too', async (t) => {
  const shop = await schemer(t);
  await shop.deliver(shop.dispute(dispute(10, 'needs_response')));
  for (let n = 2; n < 6; n++) {
    const { intent } = await shop.topUp(6_99n);
    assert.deepEqual(await shop.books(), [0n, 0n]);
    await shop.disputed(intent, 10 * n, 'needs_response', 6_99, `dp_${n}`);
    assert.deepEqual(await shop.books(), [0n, 6_99n]);
    assert.equal(await shop.buys(), 'insufficient_funds');
    assert.equal(await shop.gain(), 0n);
  }
});

test('move money out before the dispute, or while it is open: the debt is all of it, and money pays it first', async (t) => {
  const shop = await schemer(t);
  await shop.spend(43_01n);
  await shop.deliver(shop.dispute(dispute(10, 'lost')));
  assert.deepEqual(await shop.books(), [0n, 50_00n]);
  await shop.credit(30_00n);
  await assert.rejects(shop.spend(1n), { code: 'insufficient_funds' });
  await shop.goodwill(20_00n);
  await assert.rejects(
    shop.change('d8').then((code) => Promise.reject({ code })),
    { code: 'insufficient_funds' },
  );
  await shop.round();
  assert.deepEqual(await shop.books(), [0n, 0n]);
  assert.equal(await shop.gain(), 0n);
});

test('have a payment sent back and dispute it as well: it is not sent back twice', async (t) => {
  const shop = await schemer(t);
  const again = { topUp: shop.firstId, reason: 'asked', actor: 'root' };
  await shop.deliver(shop.dispute(dispute(10, 'needs_response', 20_00)));
  await assert.rejects(refundTopUp(shop.services, { ...again, amountMinor: 30_01n }), /30\.00/);
  await refundTopUp(shop.services, { ...again, amountMinor: 20_00n });
  await assert.rejects(refundTopUp(shop.services, { ...again, amountMinor: 20_00n }), /10\.00/);
  await shop.deliver(shop.dispute(dispute(20, 'won', 20_00)));
  assert.deepEqual(await shop.books(), [23_01n, 0n]);
  assert.equal(await shop.gain(), 0n);
});

test('promotional credit during a debt renews, and buys nothing new', async (t) => {
  const shop = await schemer(t);
  await shop.deliver(shop.dispute(dispute(10, 'needs_response')));
  await shop.customer.grantPromo(20_00n, new Date('2027-01-01T00:00:00Z'));
  assert.equal(await shop.buys(), 'insufficient_funds');
  assert.equal(await shop.change('d8'), 'insufficient_funds');
  await assert.rejects(shop.spend(1n), { code: 'insufficient_funds' });
  await shop.round();
  const { available_minor, promo_minor, claimed_minor } = await lookUpWallet(shop.db, shop.accountId);
  assert.deepEqual([available_minor, promo_minor, claimed_minor], [20_00n, 20_00n, 6_99n]);
  await shop.sound();
});

test('automatic top-up pays a debt far above its amount once a day, with the card that was saved', async (t) => {
  const shop = await schemer(t);
  const { db, accountId: account_id, clock, look } = shop;
  const saved = await shop.topUp(5_00n, true);
  await shop.spend(48_01n);
  await shop.disputed(shop.intent, 10, 'lost', 50_00, 'dp_1');
  const [method] = await listPaymentMethods(db, account_id);
  await putAutoTopUp(db, {
    ...{ account_id, enabled: true, threshold_minor: 10_00n, amount_minor: 5_00n },
    ...{ payment_method_id: method!.id, failures: 0, next_attempt_at: null, last_error: null },
    updated_at: clock.now(),
  });
  const charges = async () =>
    (await listTopUps(db, account_id, { limit: 50, afterId: null })).filter(
      ({ cause, id }: TopUpRow) => cause === 'auto' && id !== saved.made.id,
    ).length;
  for (let n = 0; n < 20; n++) {
    await look();
    clock.advance(3_600_000);
  }
  assert.equal(await charges(), 1);
  assert.deepEqual(await shop.books(), [0n, 45_00n]);
  for (let n = 0; n < 5 * 24; n++) {
    await look();
    clock.advance(3_600_000);
  }
  assert.equal(await charges(), 6, 'one a day');
  assert.equal(await shop.gain(), 0n);
});
