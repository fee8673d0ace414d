import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  accountsToTopUp,
  listPaymentMethods,
  putAutoTopUp,
} from '../../server/db/queries/money/payment-methods.ts';
import { insertTopUp, listTopUps, type TopUpRow } from '../../server/db/queries/money/top-ups.ts';
import { topUpAccount } from '../../server/payments/auto-top-up.ts';
import { paymentShop } from './support/shop.ts';

/** A customer with 5.00 in the wallet and an automatic top-up of 25.00 by card below 20.00. */
async function lowWallet(t: TestContext) {
  const shop = await paymentShop(t);
  const { stripe, db, accountId: account_id, clock } = shop;
  const { topUp } = await shop.start(shop.wish('stripe', 5_00n, { keepMethod: true }));
  for (const event of stripe.pay(shop.session(topUp).id)) await shop.deliver(event);
  const [method] = await listPaymentMethods(db, account_id);
  await putAutoTopUp(db, {
    ...{
      account_id,
      enabled: true,
      threshold_minor: 20_00n,
      amount_minor: 25_00n,
      payment_method_id: method!.id,
    },
    ...{ failures: 0, next_attempt_at: null, last_error: null, updated_at: clock.now() },
  });
  clock.advance(1);
  const automatic = async () =>
    (await listTopUps(db, account_id, { limit: 50, afterId: null })).filter(({ cause }) => cause === 'auto');
  /** Inserts a top-up that another node has written after this node read the list. */
  const write = async (n: number, status: TopUpRow['status']) =>
    insertTopUp(db, {
      ...(await shop.find(topUp)),
      ...{
        id: `top_${String(n).padStart(26, '0')}`,
        reference: `TU-${n}`,
        provider_ref: `pi_${n}`,
        cause: 'auto',
        status,
      },
      ...{ payment_id: null, created_at: clock.now(), settled_at: status === 'pending' ? null : clock.now() },
    });
  return { ...shop, automatic, write };
}

test('two nodes that have read the same list charge a card once', async (t) => {
  const { services, accountId, automatic, stripe, write, sound } = await lowWallet(t);
  await write(1, 'pending');
  const before = stripe.requests.length;
  await topUpAccount(services, accountId);
  assert.equal((await automatic()).length, 1);
  assert.equal(stripe.requests.length, before, 'nothing is asked of Stripe');
  await sound();
});

test('the daily limit holds for a node whose list is old', async (t) => {
  const { db, services, accountId, clock, automatic, write, sound } = await lowWallet(t);
  const scope = {
    now: clock.now(),
    since: new Date(clock.now().getTime() - 86_400_000),
    most: 5,
    mostInDebt: 1,
  };
  assert.equal((await accountsToTopUp(db, scope, '', 10)).length, 1);
  for (let n = 1; n <= 5; n++) await write(n, 'failed');
  await topUpAccount(services, accountId);
  assert.equal((await automatic()).length, 5);
  clock.advance(86_400_000);
  await topUpAccount(services, accountId);
  assert.equal((await automatic()).length, 6, 'the next day');
  await sound();
});
