import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { addMember, createPerson } from '../../server/domain/people/create-person.ts';
import { MAIL_PURPOSE } from '../../server/mail/outbox.ts';
import { cancelTopUp } from '../../server/payments/cancel-top-up.ts';
import { refundTopUp } from '../../server/payments/refund-top-up.ts';
import { paymentShop } from './support/shop.ts';
import type { Thing } from './support/stripe.ts';

const HOUR_MS = 3_600_000;

/** A shop whose customer has an owner who reads German. */
async function mailedShop(t: TestContext) {
  const shop = await paymentShop(t);
  await shop.db.transaction(async (tx) => {
    const owner = { email: 'ada@example.com', name: 'Ada', locale: 'de', passwordHash: null, verified: true };
    const { id: personId } = await createPerson(tx, shop.clock, owner);
    await addMember(tx, shop.clock, { personId, accountId: shop.accountId, role: 'owner' });
  });
  /** Returns every mail so far, sorted, because mails of the same instant have no order. */
  const mails = async () => {
    const rows = await shop.db.query<{ template: string; locale: string; sealed_values: string }>(
      sql`select template, locale, sealed_values from mails`,
    );
    const texts = rows.map(({ template, locale, sealed_values }) => {
      const { amountMinor, reason, kind } = JSON.parse(
        shop.services.secrets.open(sealed_values, MAIL_PURPOSE),
      );
      return [template, locale, amountMinor, reason ?? kind].filter((value) => value !== undefined).join(' ');
    });
    return texts.sort();
  };
  return { ...shop, mails };
}

test('each top-up has one receipt, and a dispute that is won one mail', async (t) => {
  const { start, wish, stripe, session, deliver, mails } = await mailedShop(t);
  const { topUp } = await start(wish('stripe', 50_00n));
  const paid = stripe.pay(session(topUp).id);
  for (const event of [...paid, ...paid]) assert.equal(await deliver(event), 200);
  assert.deepEqual(await mails(), ['top_up_succeeded de 5000']);

  const intent: Thing = paid[0]!.data.object;
  const dispute = (type: string, status: string) =>
    stripe.event(`charge.dispute.${type}`, {
      ...{ object: 'dispute', id: 'dp_1', amount: 50_00, status },
      ...{ currency: intent.currency, payment_intent: intent.id, metadata: {} },
    });
  for (const event of [dispute('created', 'needs_response'), dispute('closed', 'won')])
    for (const again of [event, event]) assert.equal(await deliver(again), 200);
  assert.deepEqual(await mails(), [
    'payment_returned de 5000 dispute',
    'payment_taken_back de 5000 dispute',
    'top_up_succeeded de 5000',
  ]);
});

test('a refund is mailed when it was made, and its failure later, once each', async (t) => {
  const { start, wish, stripe, session, deliver, mails, services } = await mailedShop(t);
  const { topUp } = await start(wish('stripe', 50_00n));
  for (const event of stripe.pay(session(topUp).id)) await deliver(event);
  const refund = await refundTopUp(services, {
    ...{ topUp: topUp.id, amountMinor: 20_00n, reason: 'Kulanz', actor: 'root' },
  });
  assert.equal(refund.status, 'succeeded');
  const made = [...stripe.refunds.values()].find(({ metadata }) => metadata.vauban_refund === refund.id)!;
  const event = (status: string) => stripe.event('refund.updated', { ...made, status });
  for (const status of ['succeeded', 'failed', 'failed']) assert.equal(await deliver(event(status)), 200);
  assert.deepEqual(await mails(), [
    'payment_returned de 2000 refund',
    'top_up_refunded de 2000 Kulanz',
    'top_up_succeeded de 5000',
  ]);
});

test('a top-up that expires is mailed once, and one that was called off is not', async (t) => {
  const { start, wish, clock, look, mails, find, db, services, accountId } = await mailedShop(t);
  const { topUp } = await start(wish('bank_transfer', 30_00n));
  const { topUp: unwanted } = await start(wish('bank_transfer', 20_00n));
  await db.transaction((tx) => cancelTopUp(tx, services, accountId, unwanted.id));
  clock.advance(60 * 24 * HOUR_MS);
  await look();
  await look();
  assert.equal((await find(topUp)).status, 'expired');
  assert.deepEqual(await mails(), ['top_up_ended de 3000']);
});

test('a top-up that fails is mailed with the reason', async (t) => {
  const { start, wish, stripe, session, deliver, mails } = await mailedShop(t);
  const { topUp } = await start(wish('stripe', 30_00n));
  const failed = stripe.event('checkout.session.async_payment_failed', session(topUp));
  for (const event of [failed, failed]) assert.equal(await deliver(event), 200);
  assert.deepEqual(await mails(), ['top_up_ended de 3000 The payment failed.']);
});
