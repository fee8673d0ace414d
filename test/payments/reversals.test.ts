import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { lookUpWallet } from '../../server/db/queries/wallets.ts';
import { closeAccount } from '../../server/domain/accounts/account-status.ts';
import { creditAccount, debitAccount } from '../../server/domain/accounts/book-payment.ts';
import { auditNow } from '../../server/domain/billing/audit/audit.ts';
import { addMember, createPerson } from '../../server/domain/people/create-person.ts';
import { MAIL_PURPOSE } from '../../server/mail/outbox.ts';
import { Readiness } from '../../server/operator/readiness.ts';
import { createOperatorServer } from '../../server/operator/server.ts';
import { refundTopUp } from '../../server/payments/refund-top-up.ts';
import { figuresOf, mutate } from '../simulation/mutations.ts';
import { Prng } from '../simulation/prng.ts';
import { defer } from '../support/cleanup.ts';
import { paymentShop } from './support/shop.ts';
import type { Thing } from './support/stripe.ts';

const VM = { plan: 's1', template: 'debian-12', hostname: 'web-1' };

/** A customer who has paid 50.00 at Stripe, and what happens at Stripe afterwards. */
async function paidShop(t: TestContext) {
  const shop = await paymentShop(t);
  await shop.db.transaction(async (tx) => {
    const owner = { email: 'ada@example.com', name: 'Ada', locale: 'en', passwordHash: null, verified: true };
    const { id: personId } = await createPerson(tx, shop.clock, owner);
    await addMember(tx, shop.clock, { personId, accountId: shop.accountId, role: 'owner' });
  });
  const { topUp } = await shop.start(shop.wish('stripe', 50_00n));
  const events = shop.stripe.pay(shop.session(topUp).id);
  const intent: Thing = events[0]!.data.object;
  const thing = (id: string, amount: number, status: string) => ({
    ...{ id, amount, status, currency: intent.currency, payment_intent: intent.id, metadata: {} },
  });
  const refund = (id: string, amount: number, status = 'succeeded', type = 'refund.created') =>
    shop.stripe.event(type, { object: 'refund', ...thing(id, amount, status) });
  const dispute = (type: string, status: string, amount = 50_00) =>
    shop.stripe.event(`charge.dispute.${type}`, { object: 'dispute', ...thing('dp_1', amount, status) });
  /** What owners were written of it, the latest last. */
  const told = async () => {
    const mails = await shop.db.query<{ sealed_values: string }>(
      sql`select sealed_values from mails where template = 'payment_taken_back' order by id`,
    );
    const values = mails.map(({ sealed_values }) =>
      JSON.parse(shop.services.secrets.open(sealed_values, MAIL_PURPOSE)),
    );
    return values.map(
      ({ kind, amountMinor, isOwed }) => `${kind} ${amountMinor} ${isOwed ? 'owed' : 'taken'}`,
    );
  };
  const claimed = async () => (await lookUpWallet(shop.db, shop.accountId)).claimed_minor;
  const reversals = async () =>
    (
      await shop.db.query<{ provider_ref: string; status: string }>(
        sql`select provider_ref, status from top_up_reversals order by provider_ref`,
      )
    ).map(({ provider_ref, status }) => `${provider_ref} ${status}`);
  /** Takes money out of the wallet by another way. */
  const spend = (amountMinor: bigint) => {
    const debit = { accountId: shop.accountId, amountMinor, method: 'bank_transfer' };
    return shop.db.transaction((tx) => debitAccount(tx, shop.clock, debit));
  };
  return { ...shop, topUp, paid: events, intent, refund, dispute, told, claimed, reversals, spend };
}

test('a refund that began at Stripe is taken from the wallet once, and put back if it fails', async (t) => {
  const shop = await paidShop(t);
  const { deliver, paid, refund, available, reversals, sound, told, topUp, services, stripe } = shop;
  for (const event of paid) assert.equal(await deliver(event), 200);
  const pending = refund('re_1', 20_00, 'pending');
  const done = refund('re_1', 20_00, 'succeeded', 'refund.updated');
  const all = [pending, done, pending, done].map((event) => deliver(event));
  assert.deepEqual(await Promise.all(all), [200, 200, 200, 200]);
  assert.equal(await available(), 30_00n);
  const wish = { topUp: topUp.id, amountMinor: 31_00n, reason: 'asked', actor: 'root' };
  await assert.rejects(refundTopUp(services, wish), /30\.00/, 'what has gone back is not sent again');

  const failed = refund('re_1', 20_00, 'failed', 'refund.failed');
  for (const event of [failed, done, failed, pending]) assert.equal(await deliver(event), 200);
  assert.equal(await available(), 50_00n);
  // The failure overtakes what it is of.
  assert.equal(await deliver(refund('re_2', 10_00, 'canceled', 'refund.updated')), 200);
  assert.equal(await deliver(refund('re_2', 10_00)), 200);
  assert.equal(await available(), 50_00n);
  assert.deepEqual(await reversals(), ['re_1 void', 're_2 void']);
  assert.deepEqual(await told(), ['refund 2000 taken'], 'owners are told once, of what was taken');

  // One that was made here is not booked as another.
  const own = await refundTopUp(services, { ...wish, amountMinor: 5_00n });
  const made = [...stripe.refunds.values()].find(({ metadata }) => metadata.vauban_refund === own.id)!;
  assert.equal(await deliver(stripe.event('refund.created', made)), 200);
  assert.equal(await available(), 45_00n);
  await sound();
});

test('a dispute takes the money, and gives it back where it is won', async (t) => {
  const { deliver, paid, dispute, available, reversals, sound } = await paidShop(t);
  for (const event of paid) await deliver(event);
  assert.equal(await deliver(dispute('created', 'warning_needs_response')), 200);
  assert.equal(await available(), 50_00n, 'a question moves no money');
  for (const event of [dispute('created', 'needs_response'), dispute('funds_withdrawn', 'needs_response')])
    assert.equal(await deliver(event), 200);
  assert.equal(await available(), 0n);
  for (const event of [
    dispute('funds_reinstated', 'won'),
    dispute('closed', 'won'),
    dispute('created', 'needs_response'),
  ])
    assert.equal(await deliver(event), 200);
  assert.equal(await available(), 50_00n);
  assert.deepEqual(await reversals(), ['dp_1 void']);
  await sound();
});

test('what the wallet does not cover is owed: nothing new is sold, and the next money pays it', async (t) => {
  const shop = await paidShop(t);
  const { deliver, paid, dispute, refund, spend, available, claimed, told, customer, db, clock, look } = shop;
  for (const event of paid) await deliver(event);
  await spend(30_00n);
  assert.equal(await deliver(dispute('created', 'needs_response')), 200);
  assert.equal(await deliver(dispute('closed', 'lost')), 200);
  assert.deepEqual([await available(), await claimed()], [20_00n, 50_00n]);
  assert.deepEqual(await told(), ['dispute 5000 owed']);
  const refused = await customer.call({ method: 'POST', path: '/v1/vm', body: VM });
  assert.equal(refused.status, 402);
  assert.equal(refused.error?.code, 'insufficient_funds');
  await look();
  assert.equal(await available(), 20_00n, 'it is taken whole');
  await shop.sound();

  const credit = { accountId: shop.accountId, amountMinor: 40_00n, method: 'bank_transfer' };
  await db.transaction((tx) => creditAccount(tx, clock, credit));
  await look();
  await look();
  assert.deepEqual([await available(), await claimed()], [10_00n, 0n]);
  await customer.must({ method: 'POST', path: '/v1/vm', body: VM });
  // A claim that comes to nothing before it was paid leaves nothing behind.
  assert.equal(await deliver(refund('re_3', 40_00, 'pending')), 200);
  assert.equal(await claimed(), 40_00n);
  assert.equal(await deliver(refund('re_3', 40_00, 'failed', 'refund.failed')), 200);
  assert.equal(await claimed(), 0n);
  await shop.sound();
});

test('an account that owes is not closed; what is owed later stays on the books, and may be paid', async (t) => {
  const { deliver, paid, dispute, refund, spend, accountId, available, claimed, look, sound, ...rest } =
    await paidShop(t);
  const { clock, db, services } = rest;
  for (const event of paid) await deliver(event);
  await spend(45_00n);
  assert.equal(await deliver(refund('re_1', 10_00)), 200);
  await spend(5_00n);
  const close = () => db.transaction((tx) => closeAccount(tx, clock, accountId));
  await assert.rejects(close, {
    code: 'invalid_state',
    details: { vm_count: 0, balance_minor: 0, claimed_minor: 10_00 },
  });
  assert.equal(await deliver(refund('re_1', 10_00, 'failed', 'refund.failed')), 200);
  await close();

  const operator = createOperatorServer(services, new Readiness(services));
  defer(t, () => operator.close());
  const book = async (side: 'credits' | 'debits', amount_minor: number) =>
    (
      await operator.inject({
        method: 'POST',
        url: `/accounts/${accountId}/${side}`,
        payload: { amount_minor },
      })
    ).statusCode;
  assert.equal(await book('credits', 50_00), 409, 'a closed account that owes nothing takes no money');
  assert.equal(await deliver(dispute('created', 'needs_response')), 200);
  assert.deepEqual([await available(), await claimed()], [0n, 50_00n]);
  await sound();
  assert.equal(await book('debits', 1_00), 409);
  assert.equal(await book('credits', 50_00), 200);
  await look();
  assert.deepEqual([await available(), await claimed()], [0n, 0n]);
  assert.equal(await book('credits', 1), 409);
  await sound();
});

test('what is taken back before the payment was told of is booked after it; what is not ours is left alone', async (t) => {
  const { deliver, paid, refund, available, sound, stripe, intent } = await paidShop(t);
  assert.equal(await deliver(refund('re_1', 50_00)), 200);
  assert.equal(await available(), 0n);
  for (const event of paid) assert.equal(await deliver(event), 200);
  assert.equal(await available(), 0n);
  const before = { ...refund('re_9', 10_00).data.object };
  for (const other of [
    { ...before, payment_intent: 'pi_unknown' },
    { ...before, currency: 'usd' },
    { ...before, amount: -1 },
    { ...before, id: 7 },
    { ...before, payment_intent: null },
  ])
    assert.equal(await deliver(stripe.event('refund.created', other)), 200);
  assert.equal(await available(), 0n);
  assert.equal(stripe.intents.get(intent.id)!.id, intent.id);
  // As long as Stripe does not answer, it has to come again.
  stripe.mishaps.push('unavailable');
  assert.equal(await deliver(refund('re_8', 1_00)), 200);
  const unknown = stripe.event('refund.created', { ...before, payment_intent: 'pi_unknown' });
  stripe.mishaps.push('unavailable');
  assert.ok((await deliver(unknown)) >= 500);
  await sound();
});

test('the audit finds each edited figure of a top-up, a refund, a reversal and a claim', async (t) => {
  const { deliver, paid, dispute, refund, db, topUp, services, sound } = await paidShop(t);
  for (const event of paid) await deliver(event);
  await refundTopUp(services, { topUp: topUp.id, amountMinor: 5_00n, reason: 'asked', actor: 'root' });
  await deliver(refund('re_1', 10_00));
  await deliver(refund('re_2', 5_00));
  await deliver(refund('re_2', 5_00, 'failed', 'refund.failed'));
  await deliver(dispute('created', 'needs_response'));
  await sound();
  const prng = new Prng('top-ups');
  const figures = await figuresOf(db, ['top_ups', 'top_up_refunds', 'top_up_reversals', 'wallets']);
  const columns = figures.map(({ table, column }) => `${table}.${column}`);
  for (const column of [
    'top_ups.amount_minor',
    'top_up_refunds.amount_minor',
    'top_up_reversals.amount_minor',
    'wallets.claimed_minor',
  ])
    assert.ok(columns.includes(column), column);
  // Some times each, for a table has several rows.
  for (const figure of [...figures, ...figures, ...figures]) {
    const mutation = await mutate(db, prng, figure);
    if (!mutation) continue;
    assert.notDeepEqual(await auditNow(db), [], mutation.description);
    await mutation.undo();
  }
  await sound();
});
