import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeAccount } from '../../server/domain/accounts/account-status.ts';
import { creditAccount } from '../../server/domain/accounts/book-payment.ts';
import { refundTopUp } from '../../server/payments/refund-top-up.ts';
import { startOperator } from '../operator/support.ts';
import { paymentShop } from './support/shop.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const refundOf = (topUp: string, amountMinor?: bigint) => ({
  topUp,
  amountMinor,
  reason: 'goodwill',
  actor: 'root',
});

/** A shop whose customer has paid 50.00 at Stripe. */
async function paidShop(...[t]: Parameters<typeof paymentShop>) {
  const shop = await paymentShop(t);
  const { topUp } = await shop.start(shop.wish('stripe', 50_00n));
  for (const event of shop.stripe.pay(shop.session(topUp).id)) assert.equal(await shop.deliver(event), 200);
  const refund = (amountMinor?: bigint) => refundTopUp(shop.services, refundOf(topUp.reference, amountMinor));
  const told = (status: string, failure_reason?: string) => {
    const made = [...shop.stripe.refunds.values()].at(-1)!;
    return shop.deliver(shop.stripe.event('refund.updated', { ...made, status, failure_reason }));
  };
  return { ...shop, topUp, refund, told };
}

/** The requests that change something at Stripe. */
const posts = ({ requests }: { requests: string[] }) =>
  requests.filter((request) => request.startsWith('POST'));

test('money is refunded to its source in parts, and never more than was paid', async (t) => {
  const shop = await paidShop(t);
  const { stripe, refund, available } = shop;
  assert.equal((await refund(20_00n)).status, 'succeeded');
  await assert.rejects(refund(30_01n), { code: 'validation_failed' });
  const both = await Promise.allSettled([refund(30_00n), refund(30_00n)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  await assert.rejects(refund(), { code: 'validation_failed' });
  assert.equal(await available(), 0n);
  assert.deepEqual([...stripe.refunds.values()].map(({ amount }) => amount).sort(), [2000, 3000]);
  await shop.sound();
});

test('spent money is not sent back', async (t) => {
  const shop = await paidShop(t);
  await shop.customer.payOut(45_00n);
  await assert.rejects(shop.refund(), { code: 'insufficient_funds' });
  assert.equal(shop.stripe.refunds.size, 0);
  await shop.sound();
});

test('a refund that the provider refuses, or that a bank sends back, is in the wallet again', async (t) => {
  const shop = await paidShop(t);
  const { stripe, refund, told, available } = shop;
  stripe.refundStatus = 'failed';
  assert.equal((await refund(10_00n)).status, 'failed');
  assert.equal(await available(), 50_00n);
  stripe.refundStatus = 'pending';
  assert.equal((await refund(10_00n)).status, 'pending');
  assert.equal(await available(), 40_00n);
  assert.equal(await told('succeeded'), 200);
  assert.equal(await told('succeeded'), 200);
  for (let n = 0; n < 2; n++) assert.equal(await told('failed', 'lost_or_stolen_card'), 200);
  assert.equal(await told('succeeded'), 200);
  assert.equal(await available(), 50_00n);
  stripe.refundStatus = 'succeeded';
  assert.equal((await refund()).status, 'succeeded', 'what came back can be sent once more');
  assert.equal(await available(), 0n);
  await shop.sound();
});

test('a refund with an unknown result is checked, and made once', async (t) => {
  const shop = await paidShop(t);
  const { stripe, clock, refund, look, available } = shop;
  stripe.mishaps.push('silence');
  assert.equal((await refund(10_00n)).status, 'pending');
  assert.equal(await available(), 40_00n);
  stripe.mishaps.push('unavailable');
  clock.advance(6 * MINUTE_MS);
  await look();
  clock.advance(6 * MINUTE_MS);
  await look();
  assert.equal(stripe.refunds.size, 1);
  const requests = posts(stripe).length;
  clock.advance(HOUR_MS);
  await look();
  assert.equal(posts(stripe).length, requests, 'it is known now');
  await shop.sound();
});

test('the provider is no longer asked when it might make a refund twice', async (t) => {
  const shop = await paidShop(t);
  const { stripe, clock, refund, look, told, available } = shop;
  stripe.mishaps.push('silence', 'unavailable');
  await refund(10_00n);
  clock.advance(21 * HOUR_MS);
  await look();
  clock.advance(HOUR_MS);
  const requests = posts(stripe).length;
  await look();
  assert.equal(posts(stripe).length, requests);
  assert.equal(await told('succeeded'), 200);
  assert.equal(await available(), 40_00n);
  await shop.sound();
});

test('money of an account closed in the meantime is booked, and can be returned', async (t) => {
  const shop = await paymentShop(t);
  const { db, clock, wish, start, stripe, session, deliver, available, services } = shop;
  const { topUp } = await start(wish('stripe', 50_00n));
  await db.transaction((tx) => closeAccount(tx, clock, shop.accountId));
  await assert.rejects(start(wish('stripe', 50_00n)), { code: 'invalid_state' });
  for (const event of stripe.pay(session(topUp).id)) assert.equal(await deliver(event), 200);
  assert.equal(await available(), 50_00n);
  await refundTopUp(services, refundOf(topUp.id));
  assert.equal(await available(), 0n);
  await shop.sound();
});

test('the operator confirms the bank transfer that arrived, once and in its amount', async (t) => {
  const shop = await startOperator(
    t,
    {},
    {
      VAUBAN_PAYMENT_PROVIDERS: 'bank_transfer',
      VAUBAN_BANK_RECIPIENT: 'Example GmbH',
      VAUBAN_BANK_IBAN: 'DE89370400440532013000',
    },
  );
  const { db, clock, post, get } = shop;
  const accountId = await shop.newAccount();
  const wish = {
    accountId,
    principalId: 'prs_1',
    provider: 'bank_transfer',
    amountMinor: 50_00n,
    keepMethod: false,
  };
  const { beginTopUp, startTopUp } = await import('../../server/payments/start-top-up.ts');
  const order = async () => {
    const begun = await beginTopUp(shop, wish);
    return (await db.transaction((tx) => startTopUp(tx, shop, wish, begun))).topUp;
  };
  const { reference, id } = await order();
  const confirm = (body: object, name = reference) => post(`/top-ups/${name}/confirm`, body);
  for (const [body, field] of [
    [{ amount: '49.99' }, 'amount'],
    [{ amount_minor: 5001 }, 'amount_minor'],
    [{ amount: '50', currency: 'USD' }, 'currency'],
    [{}, 'amount'],
  ] as const) {
    const refused = await confirm(body);
    assert.deepEqual([refused.status, refused.json().error.details.fields[0].field], [422, field]);
  }
  assert.equal((await confirm({ amount: '50' }, 'TU-AAAA-AAAA')).status, 404);
  clock.advance(30 * 24 * HOUR_MS);
  const confirmed = (await confirm({ amount: '50.00', currency: 'EUR' })).json().data;
  assert.deepEqual([confirmed.id, confirmed.status], [id, 'succeeded']);
  assert.deepEqual((await confirm({ amount: '50' })).json().data, confirmed);
  const wallet = (await get(`/accounts/${accountId}`)).json().data;
  assert.equal(wallet.wallet?.available_minor ?? wallet.available_minor, 5000);

  const booked = await order();
  await db.transaction((tx) =>
    creditAccount(tx, clock, {
      accountId,
      amountMinor: 50_00n,
      method: 'bank_transfer',
      reference: booked.reference,
    }),
  );
  const twice = await confirm({ amount: '50' }, booked.reference);
  assert.deepEqual([twice.status, twice.json().error.code], [409, 'payment_exists'], 'booked by hand before');
  assert.equal((await post(`/top-ups/${id}/refunds`, { reason: 'x' })).json().error.code, 'invalid_state');
  assert.equal((await get('/top-ups?provider=bank_transfer&status=pending')).json().data[0].id, booked.id);
});
