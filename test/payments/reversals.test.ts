import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { lookUpWallet } from '../../server/db/queries/money/wallets.ts';
import { closeAccount } from '../../server/domain/accounts/account-status.ts';
import { creditAccount, debitAccount } from '../../server/domain/accounts/book-payment.ts';
import { creditOrDebit } from '../../server/domain/billing/adjustments/credit-or-debit.ts';
import { auditNow } from '../../server/domain/billing/audit/audit.ts';
import { addMember, createPerson } from '../../server/domain/people/create-person.ts';
import { OPERATOR_ENDPOINTS } from '../../server/endpoints/operator/index.ts';
import { Readiness } from '../../server/http/operator/readiness.ts';
import { createOperatorServer } from '../../server/http/operator/server.ts';
import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import { MAIL_PURPOSE } from '../../server/mail/outbox.ts';
import { refundTopUp } from '../../server/payments/refund-top-up.ts';
import { figuresOf, mutate } from '../simulation/mutations.ts';
import { Prng } from '../simulation/prng.ts';
import { defer } from '../support/cleanup.ts';
import { paymentShop } from './support/shop.ts';
import type { Thing } from './support/stripe.ts';

const VM = { plan: 's1', template: 'debian-12', hostname: 'web-1' };

/** A customer who has paid 50.00 at Stripe, with helpers for what happens at Stripe afterwards. */
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
  /** The same event with Stripe's time: `seconds` after the first event. */
  const disputeAt = (seconds: number, status: string, amount = 50_00) => ({
    ...dispute(status === 'won' || status === 'lost' ? 'closed' : 'updated', status, amount),
    created: 1_767_225_600 + seconds,
  });
  /** Returns the mails to owners about it, the latest last. */
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
  /** Takes money out of the wallet in another way. */
  const spend = (amountMinor: bigint) => {
    const debit = { accountId: shop.accountId, amountMinor, method: 'bank_transfer' };
    return shop.db.transaction((tx) => debitAccount(tx, shop.clock, debit));
  };
  return {
    ...shop,
    topUp,
    paid: events,
    intent,
    refund,
    dispute,
    disputeAt,
    told,
    claimed,
    reversals,
    spend,
  };
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
  // The event of the failure arrives before the event of the refund.
  assert.equal(await deliver(refund('re_2', 10_00, 'canceled', 'refund.updated')), 200);
  assert.equal(await deliver(refund('re_2', 10_00)), 200);
  assert.equal(await available(), 50_00n);
  assert.deepEqual(await reversals(), ['re_1 void', 're_2 void']);
  assert.deepEqual(await told(), ['refund 2000 taken'], 'owners are told once, of what was taken');

  // A refund that was made here is not booked again as Stripe's.
  const own = await refundTopUp(services, { ...wish, amountMinor: 5_00n });
  const made = [...stripe.refunds.values()].find(({ metadata }) => metadata.vauban_refund === own.id)!;
  assert.equal(await deliver(stripe.event('refund.created', made)), 200);
  assert.equal(await available(), 45_00n);
  await sound();
});

test('a dispute takes the money, and returns it if it is won', async (t) => {
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

test("a dispute takes the wallet's money at once; the rest is a debt that blocks purchases, and later money pays it", async (t) => {
  const shop = await paidShop(t);
  const { deliver, paid, dispute, refund, spend, available, claimed, told, customer, db, clock, look } = shop;
  for (const event of paid) await deliver(event);
  await spend(30_00n);
  assert.equal(await deliver(dispute('created', 'needs_response')), 200);
  assert.equal(await deliver(dispute('closed', 'lost')), 200);
  assert.deepEqual([await available(), await claimed()], [0n, 30_00n]);
  assert.deepEqual(await told(), ['dispute 5000 owed']);
  await shop.sound();
  for (const path of ['/v1/billing/wallet', '/v1/billing/summary'])
    assert.equal((await customer.must({ method: 'GET', path })).debt_minor, 30_00);
  const quote = await customer.must({
    method: 'GET',
    path: '/v1/vm/custom-quote?vcpu=1&ram_mb=1024&disk_gb=20',
  });
  assert.deepEqual(
    [quote.balance_available_minor, quote.debt_minor, quote.sufficient, quote.shortfall_minor],
    [0, 30_00, false, 30_00 + quote.total_minor],
  );

  // Promotional credit pays no debt and cannot be spent while there is one.
  const until = new Date(clock.now().getTime() + 86_400_000 * 90);
  await customer.grantPromo(20_00n, until);
  const refused = await customer.call({ method: 'POST', path: '/v1/vm', body: VM });
  assert.equal(refused.status, 402);
  assert.equal(refused.error?.code, 'insufficient_funds');
  assert.deepEqual(refused.error?.details, {
    required_minor: 3_99,
    available_minor: 20_00,
    shortfall_minor: 30_00,
    debt_minor: 30_00,
    currency: 'EUR',
  });

  const credit = (amountMinor: bigint) =>
    db.transaction((tx) =>
      creditAccount(tx, clock, { accountId: shop.accountId, amountMinor, method: 'bank_transfer' }),
    );
  await credit(10_00n);
  assert.deepEqual([await available(), await claimed()], [20_00n, 20_00n], 'at once, as far as it goes');
  await shop.sound();
  await credit(25_00n);
  assert.deepEqual([await available(), await claimed()], [25_00n, 0n]);
  await look();
  await shop.sound();
  await customer.must({ method: 'POST', path: '/v1/vm', body: VM });
  // A claim that fails returns the amount that it took, and no more.
  const before = await available();
  assert.equal(await deliver(refund('re_3', 40_00, 'pending')), 200);
  assert.deepEqual([await available(), await claimed()], [before - 5_00n, 35_00n]);
  assert.equal(await deliver(refund('re_3', 40_00, 'failed', 'refund.failed')), 200);
  assert.deepEqual([await available(), await claimed()], [before, 0n]);
  await shop.sound();
});

test('the rest of a disputed payment renews no VM', async (t) => {
  const shop = await paidShop(t);
  const { services, customer, db, deliver, paid, dispute, available, claimed, clock } = shop;
  for (const event of paid) await deliver(event);
  const { vm } = await customer.must({ method: 'POST', path: '/v1/vm', body: VM });
  await shop.work();
  assert.equal(await deliver(dispute('created', 'needs_response')), 200);
  assert.deepEqual([await available(), await claimed()], [0n, 3_99n]);
  const quote = await customer.must({ method: 'GET', path: `/v1/vm/${vm.id}/plan-quote?plan=s2` });
  assert.deepEqual([quote.allowed, quote.blockers[0].code], [false, 'insufficient_funds']);
  const options: { plan: { code: string }; allowed: boolean; blocker: { code: string } | null }[] =
    await customer.must({ method: 'GET', path: `/v1/vm/${vm.id}/plan-options?all=true` });
  assert.equal(options.find(({ plan }) => plan.code === 's2')?.blocker?.code, 'insufficient_funds');
  const summary = await customer.must({ method: 'GET', path: '/v1/billing/summary' });
  assert.deepEqual([summary.debt_minor, summary.overdue_minor, summary.shortfall_minor], [3_99, 0, 3_99]);
  // Money that arrives between two rounds pays the debt before any renewal.
  await db.transaction((tx) =>
    creditOrDebit({ tx, clock }, services.catalog, {
      type: 'credit',
      account: { id: shop.accountId, currency: 'EUR' },
      amountMinor: 5_00n,
      vmId: undefined,
      reason: 'sorry',
      actor: 'root',
    }),
  );
  clock.set(new Date('2026-02-01T00:00:00Z'));
  await renewVms(services);
  assert.deepEqual([await available(), await claimed()], [1_01n, 0n]);
  const after = await customer.must({ method: 'GET', path: `/v1/vm/${vm.id}` });
  assert.equal(after.billing_period_end_at, '2026-02-01T00:00:00.000Z', 'the rest does not cover the month');
  const owing = await customer.must({ method: 'GET', path: '/v1/billing/summary' });
  assert.deepEqual([owing.overdue_minor, owing.shortfall_minor], [3_99, 2_98]);
  await shop.sound();
});

test('a dispute whose amount changes, that is won, and that is lost later ends in the right books', async (t) => {
  const shop = await paidShop(t);
  const { deliver, paid, disputeAt, available, claimed, told, reversals, spend, sound } = shop;
  for (const event of paid) await deliver(event);
  const books = async () => {
    await sound();
    return [await available(), await claimed()];
  };
  await deliver(disputeAt(0, 'needs_response', 20_00));
  assert.deepEqual(await books(), [30_00n, 0n]);
  await deliver(disputeAt(5, 'needs_response', 35_00));
  assert.deepEqual(await books(), [15_00n, 0n], 'more is disputed');
  await deliver(disputeAt(3, 'needs_response', 20_00));
  assert.deepEqual(await books(), [15_00n, 0n], 'an older event changes nothing');
  await deliver(disputeAt(8, 'under_review', 10_00));
  assert.deepEqual(await books(), [40_00n, 0n], 'less is disputed');
  await spend(35_00n);
  await deliver(disputeAt(9, 'under_review', 30_00));
  assert.deepEqual(await books(), [0n, 15_00n], 'the wallet has 5.00 of the 20.00 that are added');
  await deliver(disputeAt(10, 'under_review', 22_00));
  assert.deepEqual(await books(), [0n, 7_00n], 'less debt, and nothing to give back');
  await deliver(disputeAt(11, 'won', 22_00));
  assert.deepEqual(await books(), [15_00n, 0n], 'what was taken, and not what was owed');
  await deliver(disputeAt(10, 'under_review', 22_00));
  assert.deepEqual(await books(), [15_00n, 0n]);
  await deliver(disputeAt(20, 'lost', 22_00));
  assert.deepEqual(await books(), [0n, 7_00n], 'lost after all');
  await deliver(disputeAt(11, 'won', 22_00));
  assert.deepEqual(await books(), [0n, 7_00n]);
  assert.deepEqual(await reversals(), ['dp_1 owed']);
  await deliver(disputeAt(30, 'won', 22_00));
  assert.deepEqual(await books(), [15_00n, 0n]);
  assert.deepEqual(await reversals(), ['dp_1 void']);
  assert.deepEqual((await told()).toSorted(), ['dispute 2000 taken', 'dispute 2200 owed']);
});

test('a dispute that was won before times were noted, and is lost later, is taken', async (t) => {
  const { deliver, paid, disputeAt, available, claimed, reversals, sound, db } = await paidShop(t);
  for (const event of paid) await deliver(event);
  await deliver(disputeAt(0, 'needs_response'));
  await deliver(disputeAt(10, 'won'));
  // State after the upgrade: the last release recorded when it booked the event, not the provider's time.
  await db.script('update top_up_reversals set told_at = null');
  await deliver(disputeAt(-5, 'needs_response'));
  assert.deepEqual([await available(), await claimed()], [50_00n, 0n], 'what is older than that is outdated');
  await deliver(disputeAt(86_400, 'lost'));
  assert.deepEqual([await available(), await claimed()], [0n, 0n]);
  assert.deepEqual(await reversals(), ['dp_1 taken']);
  await sound();
});

test('a dispute that cannot be booked to its end leaves nothing behind, and the next event books it', async (t) => {
  const shop = await paidShop(t);
  const { deliver, paid, dispute, available, claimed, sound, db } = shop;
  for (const event of paid) await deliver(event);
  // The wallet is debited, and the next statement fails.
  await db.script(`create function fail_once() returns trigger language plpgsql as $$ begin raise exception 'no disk'; end $$;
    create trigger fail_once before insert on top_up_reversal_payments for each row execute function fail_once()`);
  assert.ok((await deliver(dispute('created', 'needs_response'))) >= 500);
  assert.deepEqual([await available(), await claimed()], [50_00n, 0n]);
  await sound();
  await db.script('drop trigger fail_once on top_up_reversal_payments; drop function fail_once');
  assert.equal(await deliver(dispute('created', 'needs_response')), 200);
  assert.deepEqual([await available(), await claimed()], [0n, 0n]);
  await sound();
});

test('disputes and top-ups at once wait for each other in one order', async (t) => {
  const shop = await paidShop(t);
  const { deliver, paid, refund, db, clock, accountId, available, claimed, sound } = shop;
  for (const event of paid) await deliver(event);
  const credit = () =>
    db.transaction((tx) =>
      creditAccount(tx, clock, { accountId, amountMinor: 10_00n, method: 'bank_transfer' }),
    );
  const events = ['re_1', 're_2', 're_3', 're_4'].map((id) => deliver(refund(id, 20_00)));
  await Promise.all([...events, credit(), credit(), credit(), credit()]);
  assert.deepEqual([await available(), await claimed()], [10_00n, 0n]);
  await sound();
});

test('an account that owes cannot be closed; a later debt stays on the books, and may be paid', async (t) => {
  const { deliver, paid, dispute, refund, spend, accountId, available, claimed, look, sound, ...rest } =
    await paidShop(t);
  const { clock, db, services } = rest;
  for (const event of paid) await deliver(event);
  await spend(45_00n);
  assert.equal(await deliver(refund('re_1', 10_00)), 200);
  const close = () => db.transaction((tx) => closeAccount(tx, clock, accountId));
  await assert.rejects(close, {
    code: 'invalid_state',
    details: { vm_count: 0, balance_minor: 0, claimed_minor: 5_00 },
  });
  assert.equal(await deliver(refund('re_1', 10_00, 'failed', 'refund.failed')), 200);
  await spend(5_00n);
  await close();

  const operator = createOperatorServer(services, new Readiness(services), OPERATOR_ENDPOINTS);
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

test('a reversal before its payment is booked after it; foreign payments are ignored', async (t) => {
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
  // While Stripe does not reply, the event has to come again.
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
  // Several times each, because a table has several rows.
  for (const figure of [...figures, ...figures, ...figures]) {
    const mutation = await mutate(db, prng, figure);
    if (!mutation) continue;
    assert.notDeepEqual(await auditNow(db), [], mutation.description);
    await mutation.undo();
  }
  await sound();
});
