import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { listPaymentMethods, putAutoTopUp } from '../../server/db/queries/money/payment-methods.ts';
import { listTopUps } from '../../server/db/queries/money/top-ups.ts';
import { addMember, createPerson } from '../../server/domain/people/create-person.ts';
import { paymentShop } from './support/shop.ts';
import type { Thing } from './support/stripe.ts';

/** Payments that Stripe was processing and no longer knows. */

const HOUR_MS = 3_600_000;

/** A shop with 5.00 in its wallet whose automatic charges take days. */
async function slowShop(t: TestContext) {
  const shop = await paymentShop(t);
  const { stripe, db, accountId: account_id, clock } = shop;
  await db.transaction(async (tx) => {
    const owner = { email: 'ada@example.com', name: 'Ada', locale: 'en', passwordHash: null, verified: true };
    const { id: personId } = await createPerson(tx, clock, owner);
    await addMember(tx, clock, { personId, accountId: account_id, role: 'owner' });
  });
  const { topUp: first } = await shop.start(shop.wish('stripe', 5_00n, { keepMethod: true }));
  for (const event of stripe.pay(shop.session(first).id)) await shop.deliver(event);
  const [method] = await listPaymentMethods(db, account_id);
  stripe.slow.add(method!.method_ref);
  await putAutoTopUp(db, {
    ...{ account_id, enabled: true, threshold_minor: 20_00n, amount_minor: 25_00n },
    ...{ payment_method_id: method!.id, failures: 0, next_attempt_at: null, last_error: null },
    updated_at: clock.now(),
  });
  await shop.look();
  const charges = async () =>
    (await listTopUps(db, account_id, { limit: 50, afterId: null })).filter(({ cause }) => cause === 'auto');
  const [charge] = await charges();
  assert.notEqual(charge!.recheck_at, null, 'Stripe is working on it');
  const intent: Thing = [...stripe.intents.values()].at(-1)!;
  const asked = async (hours: number) => {
    for (let hour = 0; hour < hours; hour += 6) {
      clock.advance(6 * HOUR_MS);
      await shop.look();
    }
    return (await shop.find(charge!)).status;
  };
  const mails = async () => {
    const rows = await db.query<{ template: string }>(
      sql`select template from mails order by created_at, id`,
    );
    return rows.map(({ template }) => template);
  };
  return { ...shop, charge: charge!, charges, intent, asked, mails };
}

test('a payment unknown to Stripe for two days fails, and automatic top-up continues', async (t) => {
  const shop = await slowShop(t);
  const { stripe, intent, charge, asked } = shop;
  stripe.intents.delete(intent.id);
  assert.equal(await asked(48), 'pending', 'it is asked for two days');
  assert.equal((await shop.charges()).length, 1);
  stripe.slow.clear();
  assert.equal(await asked(6), 'failed');
  assert.match((await shop.find(charge)).error!, /does not know/);
  assert.ok((await shop.mails()).includes('auto_top_up_failed'));
  await asked(24);
  const charges = await shop.charges();
  assert.deepEqual(charges.map(({ status }) => status).sort(), ['failed', 'succeeded']);
  assert.equal(await shop.available(), 30_00n);
  // The money arrives after all.
  Object.assign(intent, { status: 'succeeded', amount_received: intent.amount });
  stripe.intents.set(intent.id, intent);
  assert.equal(await asked(24), 'succeeded', 'the daily comparison finds it');
  assert.equal(await shop.available(), 55_00n);
  await shop.sound();
});

test('a reply in between restarts the two days, and a missing reply does not count', async (t) => {
  const shop = await slowShop(t);
  const { stripe, intent, asked } = shop;
  stripe.intents.delete(intent.id);
  await asked(42);
  stripe.intents.set(intent.id, intent);
  await asked(6);
  stripe.intents.delete(intent.id);
  assert.equal(await asked(48), 'pending');
  stripe.mishaps.push('unavailable');
  assert.equal(await asked(6), 'pending');
  assert.equal(await asked(6), 'failed');
  await shop.sound();
});

test('one that a person started ends with a mail', async (t) => {
  const shop = await slowShop(t);
  const { stripe, deliver, look, clock, find } = shop;
  const { topUp } = await shop.start(shop.wish('stripe', 50_00n));
  const [succeeded] = stripe.pay(shop.session(topUp).id) as [Thing];
  const debit: Thing = succeeded.data.object;
  debit.status = 'processing';
  await deliver(stripe.event('payment_intent.processing', debit));
  stripe.intents.delete(debit.id);
  for (let round = 0; round < 9; round++) {
    clock.advance(6 * HOUR_MS);
    await look();
  }
  assert.equal((await find(topUp)).status, 'failed');
  assert.ok((await shop.mails()).includes('top_up_ended'));
  await shop.sound();
});
