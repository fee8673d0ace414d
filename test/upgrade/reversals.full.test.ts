import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { execute, sql } from '../../server/db/database.ts';
import { lookUpWallet } from '../../server/db/queries/wallets.ts';
import { collectDebt, debitAccount } from '../../server/domain/accounts/book-payment.ts';
import { paymentShop } from '../payments/support/shop.ts';
import { unpackLastRelease } from './support/last-release.ts';

type Told = { id: string; amountMinor: bigint; isVoid?: boolean };

/** A customer who has paid 100.00 at Stripe, served by a node of this release and by one of the last release. */
async function sharedShop(t: TestContext) {
  const shop = await paymentShop(t);
  const { services, db, clock, accountId, stripe } = shop;
  const release = unpackLastRelease(t);
  const load = (path: string) => import(pathToFileURL(join(release, path)).href);
  const { collectReversal, settleReversal } = await load('server/payments/reversals.ts');
  const { lockTopUp } = await load('server/db/queries/top-ups.ts');
  const { creditAccount } = await load('server/domain/accounts/book-payment.ts');
  const { payableReversals } = await load('server/db/queries/top-up-reversals.ts');
  const { topUp } = await shop.start(shop.wish('stripe', 100_00n));
  const events = stripe.pay(shop.session(topUp).id);
  for (const event of events) await shop.deliver(event);
  const intent = events[0]!.data.object;
  /** Stripe's word about a dispute, to the node of this release. */
  const here = ({ id, amountMinor, isVoid = false }: Told) => {
    const money = { amount: Number(amountMinor), currency: intent.currency, payment_intent: intent.id };
    clock.advance(1000);
    const dispute = { object: 'dispute', id, status: isVoid ? 'won' : 'lost', metadata: {}, ...money };
    return shop.deliver(stripe.event('charge.dispute.closed', dispute));
  };
  /** The same to the node of the last release. */
  const there = ({ id: providerRef, amountMinor, isVoid = false }: Told) => {
    clock.advance(1000);
    return db.transaction(async (tx) =>
      settleReversal(tx, services, await lockTopUp(tx, topUp.id), {
        ...{ kind: 'dispute', providerRef, amountMinor, isVoid },
      }),
    );
  };
  /** The round of the last release that takes what its wallet covers. */
  const round = async () => {
    const refused: string[] = [];
    for (const row of await payableReversals(db, 100))
      await db
        .transaction((tx) => collectReversal(tx, services, row))
        .catch((error: Error) => refused.push(error.message));
    return refused;
  };
  const spend = (amountMinor: bigint) =>
    db.transaction((tx) => debitAccount(tx, clock, { accountId, amountMinor, method: 'bank_transfer' }));
  /** A top-up that the node of the last release books, which takes no debt from it before its round. */
  const credit = (amountMinor: bigint) =>
    db.transaction((tx) => creditAccount(tx, clock, { accountId, amountMinor, method: 'bank_transfer' }));
  const books = async () => {
    await shop.sound();
    const { available_minor, claimed_minor } = await lookUpWallet(db, accountId);
    return [available_minor, claimed_minor];
  };
  return { ...shop, here, there, round, spend, credit, books };
}

const REFUSED = /payments do not add up/;

test('a node of the last release does not take a partly collected dispute again in full', async (t) => {
  const { here, round, spend, credit, books, db, clock, accountId } = await sharedShop(t);
  await spend(80_00n);
  assert.equal(await here({ id: 'dp_1', amountMinor: 50_00n }), 200);
  assert.equal(await here({ id: 'dp_2', amountMinor: 40_00n }), 200);
  assert.deepEqual(await books(), [0n, 70_00n], 'of the first, 20.00 are taken');
  await credit(60_00n);
  assert.equal((await round()).length, 1, 'the first; the second is not begun, and taken by any node');
  assert.deepEqual(await books(), [20_00n, 30_00n]);
  // The last release asks for the reference of the first part, and the store for the sum, whatever the reference.
  const takeAgain = db.transaction(async (tx) => {
    const debit = { accountId, amountMinor: 20_00n, method: 'stripe' };
    const { payment } = await debitAccount(tx, clock, debit);
    await execute(
      tx,
      sql`update top_up_reversals set status = 'taken', payment_id = ${payment.id}, settled_at = created_at where provider_ref = 'dp_1'`,
    );
  });
  await assert.rejects(takeAgain, REFUSED);
  await db.transaction((tx) => collectDebt(tx, clock, accountId));
  assert.deepEqual(await books(), [0n, 10_00n], 'a node of this release collects what is left');
});

test('a node of the last release does not void a partly collected dispute without giving back', async (t) => {
  const { here, there, spend, books } = await sharedShop(t);
  await spend(80_00n);
  await here({ id: 'dp_1', amountMinor: 50_00n });
  await here({ id: 'dp_2', amountMinor: 40_00n });
  const won = { id: 'dp_1', amountMinor: 50_00n, isVoid: true };
  await assert.rejects(there(won), REFUSED);
  assert.deepEqual(await books(), [0n, 70_00n]);
  assert.equal(await here(won), 200);
  assert.deepEqual(await books(), [0n, 20_00n], 'what it gives back pays the other');
});

test('a node of the last release does not forget the first payment of a dispute that has grown', async (t) => {
  const { here, there, round, spend, credit, books } = await sharedShop(t);
  await spend(80_00n);
  await there({ id: 'dp_1', amountMinor: 20_00n });
  assert.deepEqual(await books(), [0n, 0n]);
  await here({ id: 'dp_1', amountMinor: 50_00n });
  assert.deepEqual(await books(), [0n, 30_00n]);
  await credit(60_00n);
  assert.equal((await round()).length, 1);
  assert.deepEqual(await books(), [60_00n, 30_00n]);
  // With the claims of another, the wallet's own check does not stop it.
  await here({ id: 'dp_2', amountMinor: 80_00n });
  await assert.rejects(there({ id: 'dp_1', amountMinor: 50_00n, isVoid: true }));
  await books();
});

test('what one release books whole, the other ends', async (t) => {
  const { here, there, round, spend, credit, books } = await sharedShop(t);
  await spend(80_00n);
  await here({ id: 'dp_1', amountMinor: 15_00n });
  await there({ id: 'dp_1', amountMinor: 15_00n, isVoid: true });
  assert.deepEqual(await books(), [20_00n, 0n], 'taken by this one, given back by the last');
  await there({ id: 'dp_2', amountMinor: 20_00n });
  await here({ id: 'dp_2', amountMinor: 20_00n, isVoid: true });
  assert.deepEqual(await books(), [20_00n, 0n], 'and the other way round');
  await there({ id: 'dp_3', amountMinor: 30_00n });
  assert.deepEqual(await books(), [20_00n, 30_00n], 'the last takes nothing in part');
  await credit(10_00n);
  assert.deepEqual(await round(), []);
  assert.deepEqual(await books(), [0n, 0n]);
  await here({ id: 'dp_3', amountMinor: 30_00n, isVoid: true });
  await there({ id: 'dp_4', amountMinor: 40_00n });
  await there({ id: 'dp_4', amountMinor: 40_00n, isVoid: true });
  assert.deepEqual(await books(), [30_00n, 0n]);
});
