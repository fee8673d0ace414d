import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute, type Sql, sql } from '../../server/db/database.ts';
import { lookUpWallet } from '../../server/db/queries/money/wallets.ts';
import { debitAccount } from '../../server/domain/accounts/book-payment.ts';
import { paymentShop } from './support/shop.ts';

test('the payments of a dispute add up to it, with every writer of the books', async (t) => {
  const shop = await paymentShop(t);
  const { db, clock, accountId, stripe } = shop;
  const { topUp } = await shop.start(shop.wish('stripe', 100_00n));
  const events = stripe.pay(shop.session(topUp).id);
  for (const event of events) await shop.deliver(event);
  const { id: payment_intent, currency } = events[0]!.data.object;
  const debit = (amountMinor: bigint, method: string) =>
    db.transaction((tx) => debitAccount(tx, clock, { accountId, amountMinor, method }));
  await debit(80_00n, 'bank_transfer');
  const dispute = { id: 'dp_1', payment_intent, currency, amount: 50_00, status: 'lost', metadata: {} };
  assert.equal(await shop.deliver(stripe.event('charge.dispute.closed', dispute)), 200);
  const owes = async () => (await lookUpWallet(db, accountId)).claimed_minor;
  assert.equal(await owes(), 30_00n, '20.00 of it are taken');
  await assert.rejects(debit(1n, 'bank_transfer'), { code: 'insufficient_funds' });
  const change = (set: Sql) =>
    db.transaction((tx) =>
      execute(
        tx,
        sql`update top_up_reversals set ${set}, settled_at = created_at where provider_ref = 'dp_1'`,
      ),
    );
  for (const set of [
    sql`status = 'taken'`,
    sql`status = 'void'`,
    sql`status = 'taken', amount_minor = 4000`,
    sql`status = 'owed', amount_minor = 2000`,
  ])
    await assert.rejects(change(set), /payments do not add up/);
  assert.equal(await owes(), 30_00n);
  await shop.sound();
});
