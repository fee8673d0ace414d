import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { type Sql, sql } from '../../server/db/database.ts';
import { findPromoCredit } from '../../server/db/queries/money/promo-credits.ts';
import { lookUpWallet } from '../../server/db/queries/money/wallets.ts';
import { debitAccount } from '../../server/domain/accounts/book-payment.ts';
import { completeOrder, failOrder, placeOrder, settleNow } from '../../server/domain/billing/ledger.ts';
import {
  endPromo,
  grantPromo,
  type PromoGrant,
  revokePromo,
} from '../../server/domain/billing/promo-credits.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { Prng } from '../simulation/prng.ts';
import { freshDatabase } from '../support/database.ts';
import { depth } from '../support/depth.ts';
import { ledgerProblems } from '../support/invariants.ts';
import { fundedAccount, orderOf, storedVm, withLedger } from './support.ts';

const DAY_MS = 86_400_000;

async function setUp(t: TestContext, funds = 1000n) {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-15T00:00:00Z');
  const accountId = await fundedAccount(db, clock, funds);
  const vm = await storedVm(db, clock, accountId);
  return {
    db,
    clock,
    accountId,
    vm,
    /** Grants a promotional credit and returns its id. */
    grant: async (amountMinor: bigint, days: number, change: Partial<PromoGrant> = {}) => {
      clock.advance(1000);
      const until = new Date(clock.now().getTime() + days * DAY_MS);
      const wish = {
        accountId,
        amountMinor,
        field: 'amount' as const,
        until,
        reason: 'Welcome',
        actor: 'root',
      };
      return (await db.transaction((tx) => grantPromo(tx, clock, { ...wish, ...change }))).credit.id;
    },
    place: (...amounts: bigint[]) =>
      withLedger(db, clock, (ledger) => placeOrder(ledger, orderOf(clock, vm, ...amounts))),
    settle: (...amounts: bigint[]) =>
      withLedger(db, clock, (ledger) => settleNow(ledger, orderOf(clock, vm, ...amounts))),
    complete: ({ id }: { id: string }) =>
      withLedger(db, clock, (ledger) => completeOrder(ledger, accountId, id, clock.now())),
    fail: ({ id }: { id: string }) =>
      withLedger(db, clock, (ledger) => failOrder(ledger, accountId, id, clock.now())),
    end: () => db.transaction((tx) => endPromo(tx, accountId, clock.now())),
    revoke: (id: string) => db.transaction((tx) => revokePromo(tx, clock, id)),
    left: async (id: string) => (await findPromoCredit(db, id))!.remaining_minor,
    /** Returns the available balance, its promotional part and the held amount, after checking the books. */
    wallet: async () => {
      assert.deepEqual(await ledgerProblems(db), []);
      const { available_minor, promo_minor, held_minor } = await lookUpWallet(db, accountId);
      return [available_minor, promo_minor, held_minor];
    },
    /** Returns the movements of money, oldest first, without the initial funding. */
    moves: async () => {
      const rows = await db.query<{ move: string }>(sql`
        select debit || ' > ' || credit || ' ' || amount_minor || ' ' || reason as move from journal
        where account_id = ${accountId} and payment_id is null order by id`);
      return rows.map(({ move }) => move);
    },
  };
}

test('promotional credit is spent first, the soonest end before the others, and money after it', async (t) => {
  const { grant, place, complete, left, wallet, moves } = await setUp(t);
  const late = await grant(300n, 60);
  const soon = await grant(200n, 30);
  assert.deepEqual(await wallet(), [1500n, 500n, 0n]);

  const first = await place(250n);
  assert.deepEqual([await left(soon), await left(late)], [0n, 250n]);
  assert.deepEqual(await wallet(), [1250n, 250n, 250n]);
  await complete(first);
  const second = await place(600n);
  assert.deepEqual(await wallet(), [650n, 0n, 600n]);
  await complete(second);
  assert.deepEqual(await wallet(), [650n, 0n, 0n]);
  assert.deepEqual(await moves(), [
    'promo_expense > promo 300 promo_grant',
    'promo_expense > promo 200 promo_grant',
    'promo > hold 250 hold',
    'hold > revenue:0.2 208 capture',
    'hold > tax:0.2 42 capture',
    'promo > hold 250 hold',
    'wallet > hold 350 hold',
    'hold > revenue:0.2 500 capture',
    'hold > tax:0.2 100 capture',
  ]);
});

test('an order settled at once goes through the hold if it uses credit, and reports the rest', async (t) => {
  const { grant, settle, wallet, moves } = await setUp(t);
  await grant(100n, 30);
  const { balance_after_minor } = await settle(399n);
  assert.equal(balance_after_minor, 701n);
  assert.deepEqual(await wallet(), [701n, 0n, 0n]);
  assert.deepEqual((await moves()).slice(1, 3), ['promo > hold 100 hold', 'wallet > hold 299 hold']);
  assert.equal((await settle(399n)).balance_after_minor, 302n);
  assert.deepEqual((await moves()).slice(-2), [
    'wallet > revenue:0.2 332 charge',
    'wallet > tax:0.2 67 charge',
  ]);
});

test('credit and money together are the available amount', async (t) => {
  const { grant, place, settle, wallet } = await setUp(t, 100n);
  await grant(100n, 30);
  const refusal = {
    code: 'insufficient_funds',
    details: { required_minor: 201, available_minor: 200, shortfall_minor: 1, currency: 'EUR' },
  };
  await assert.rejects(place(201n), refusal);
  await assert.rejects(settle(201n), refusal);
  assert.deepEqual(await wallet(), [200n, 100n, 0n]);
  await place(200n);
  assert.deepEqual(await wallet(), [0n, 0n, 200n]);
});

test('a failed order returns to the same credit, and credit that has expired since ends', async (t) => {
  const { clock, grant, place, fail, end, left, wallet } = await setUp(t);
  const [soon, late] = [await grant(200n, 1), await grant(300n, 60)];
  const order = await place(450n);
  clock.advance(2 * DAY_MS);
  await end();
  await fail(order);
  assert.deepEqual([await left(soon), await left(late)], [200n, 300n]);
  assert.deepEqual(await wallet(), [1500n, 500n, 0n]);
  await end();
  assert.deepEqual([await left(soon), await left(late)], [0n, 300n]);
  assert.deepEqual(await wallet(), [1300n, 300n, 0n]);
});

test("a VM's refund is credit by the share that credit has paid, rounded up, and money otherwise", async (t) => {
  const { db, clock, accountId, grant, settle, left, wallet, moves } = await setUp(t);
  const [soon, late] = [await grant(100n, 30), await grant(100n, 60)];
  await settle(399n);
  assert.equal((await settle(-150n)).balance_after_minor, 951n);
  assert.deepEqual([await left(soon), await left(late)], [0n, 76n], 'what ends last has it back first');
  assert.deepEqual((await moves()).slice(-4), [
    'refunds:0.2 > hold 125 refund',
    'tax:0.2 > hold 25 refund',
    'hold > promo 76 release',
    'hold > wallet 74 release',
  ]);
  assert.equal((await settle(-149n)).balance_after_minor, 1100n);
  assert.deepEqual([await left(soon), await left(late)], [51n, 100n]);
  assert.deepEqual((await moves()).slice(-2), ['hold > promo 75 release', 'hold > wallet 74 release']);
  assert.equal((await settle(-50n)).balance_after_minor, 1150n);
  assert.deepEqual(await wallet(), [1150n, 176n, 0n]);

  const other = await storedVm(db, clock, accountId);
  await withLedger(db, clock, (ledger) => settleNow(ledger, orderOf(clock, other, 100n)));
  assert.deepEqual(await wallet(), [1050n, 76n, 0n]);
  await settle(-50n);
  assert.deepEqual(await wallet(), [1100n, 100n, 0n], 'what credit has paid for another VM does not matter');
});

test('credit drawn before lines were recorded returns by the amounts of the lines', async (t) => {
  const { db, grant, settle, wallet } = await setUp(t);
  await grant(200n, 60);
  await settle(100n, 299n);
  await db.script(`begin; set local session_replication_role = replica;
    update promo_draws set position = null, seal = row_seal(to_jsonb(promo_draws) - 'position'); commit`);
  await settle(-150n);
  assert.deepEqual(await wallet(), [951n, 76n, 0n]);
  await settle(-249n);
  assert.deepEqual(await wallet(), [1200n, 200n, 0n]);
});

test('an order of several lines takes and returns credit by its net', async (t) => {
  const { grant, place, complete, wallet } = await setUp(t);
  await grant(100n, 30);
  await complete(await place(399n));
  await complete(await place(-199n, 299n));
  assert.deepEqual(await wallet(), [601n, 0n, 0n]);
  await complete(await place(-299n, 149n));
  assert.deepEqual(await wallet(), [751n, 31n, 0n], '150 of the 499 that was paid, 100 of it with credit');
});

test('a line too small for a share of the credit takes none of it', async (t) => {
  const { grant, settle, wallet, left } = await setUp(t, 3000n);
  const credit = await grant(3n, 10);
  await settle(1000n, 1n, 1002n);
  assert.equal(await left(credit), 0n);
  assert.deepEqual(await wallet(), [1000n, 0n, 0n]);
});

test('lines and credits of any sizes share all of the credit', async (t) => {
  const seed = Number(process.env.SEED ?? randomInt(2 ** 31));
  t.diagnostic(`SEED=${seed}`);
  const { grant, settle, wallet } = await setUp(t, 1_000_000n);
  const prng = new Prng(String(seed));
  let spent = 0n;
  for (let n = 0; n < depth(20, 200); n++) {
    const amounts = Array.from({ length: prng.between(1, 6) }, () =>
      BigInt(prng.between(1, prng.pick([2, 50, 900])!)),
    );
    const total = amounts.reduce((sum, amount) => sum + amount, 0n);
    let granted = 0n;
    for (let credits = prng.between(1, 3); credits > 0; credits--) {
      const amount = BigInt(prng.between(1, 5));
      if (granted + amount > total) break;
      await grant(amount, prng.between(1, 9));
      granted += amount;
    }
    await settle(...amounts);
    spent += total - granted;
    assert.deepEqual(await wallet(), [1_000_000n - spent, 0n, 0n]);
  }
});

test('a refund counts paid amounts, not held ones', async (t) => {
  const { grant, place, settle, fail, wallet } = await setUp(t);
  await settle(300n);
  await grant(100n, 30);
  const upgrade = await place(50n);
  await settle(-100n);
  assert.deepEqual(await wallet(), [850n, 50n, 50n]);
  await fail(upgrade);
  assert.deepEqual(await wallet(), [900n, 100n, 0n]);
});

test('credit is never paid out', async (t) => {
  const { db, clock, accountId, grant, wallet } = await setUp(t);
  await grant(500n, 30);
  const payOut = (amountMinor: bigint) =>
    db.transaction((tx) => debitAccount(tx, clock, { accountId, amountMinor, method: 'test' }));
  await assert.rejects(payOut(1001n), {
    code: 'insufficient_funds',
    details: { required_minor: 1001, available_minor: 1000, shortfall_minor: 1, currency: 'EUR' },
  });
  await payOut(1000n);
  assert.deepEqual(await wallet(), [500n, 500n, 0n]);
  const past = db.query(sql`update wallets set available_minor = 499 where account_id = ${accountId}`);
  await assert.rejects(past, { code: '23514' }, 'the store refuses it from any caller');
});

test('credit ends at its end, and not before', async (t) => {
  const { clock, grant, end, left, wallet, moves } = await setUp(t);
  const [soon, late] = [await grant(200n, 10), await grant(300n, 20)];
  clock.advance(10 * DAY_MS - 1001);
  await end();
  assert.deepEqual(await wallet(), [1500n, 500n, 0n]);
  clock.advance(1);
  await end();
  await end();
  assert.deepEqual([await left(soon), await left(late)], [0n, 300n]);
  assert.deepEqual(await wallet(), [1300n, 300n, 0n]);
  assert.deepEqual((await moves()).slice(2), ['promo > promo_expense 200 promo_expired']);
});

test('revoked credit ends at once, and so do refunds to it', async (t) => {
  const { clock, grant, place, fail, end, revoke, wallet, moves } = await setUp(t);
  const id = await grant(200n, 30);
  const order = await place(150n);
  const { credit } = await revoke(id);
  assert.deepEqual([credit.remaining_minor, credit.revoked_at], [0n, clock.now()]);
  assert.deepEqual(await wallet(), [1000n, 0n, 150n]);
  await fail(order);
  assert.deepEqual(await wallet(), [1150n, 150n, 0n]);
  await end();
  assert.deepEqual(await wallet(), [1000n, 0n, 0n]);
  clock.advance(DAY_MS);
  assert.deepEqual((await revoke(id)).credit, credit, 'a second time changes nothing');
  assert.deepEqual(
    (await moves()).filter((move) => move.startsWith('promo >')),
    [
      'promo > hold 150 hold',
      'promo > promo_expense 50 promo_revoked',
      'promo > promo_expense 150 promo_revoked',
    ],
  );
});

test('an invalid grant names its field and changes nothing', async (t) => {
  const { clock, grant, wallet } = await setUp(t);
  const field = (name: string) => (error: { details: { fields: { field: string }[] } }) =>
    error.details.fields[0]!.field === name;
  await assert.rejects(grant(1n, 0, { until: clock.now() }), field('until'));
  await assert.rejects(grant(10n ** 15n, 1), field('amount'));
  assert.deepEqual(await wallet(), [1000n, 0n, 0n]);
});

test('a purchase without credit never asks for it', async (t) => {
  const { db, clock, accountId, vm } = await setUp(t);
  const statements: string[] = [];
  const buy = (work: typeof placeOrder) =>
    db.transaction((tx) => {
      const query = <Row extends object>(statement: Sql) => {
        statements.push(statement.sql);
        return tx.query<Row>(statement);
      };
      const send = (statement: Sql) => {
        statements.push(statement.sql);
        return tx.send(statement);
      };
      return work({ tx: { ...tx, query, send }, clock }, orderOf(clock, vm, 100n));
    });
  const { id } = await buy(placeOrder);
  assert.equal(statements.length, 3);
  await buy(async (ledger) => {
    await completeOrder(ledger, accountId, id, clock.now());
    return settleNow(ledger, orderOf(clock, vm, 100n));
  });
  assert.equal(statements.length, 3 + 6 + 5);
  assert.deepEqual(
    statements.filter((text) => /promo_(credits|draws)/.test(text)),
    [],
  );
});

test('the database refuses to change granted and drawn credit', async (t) => {
  const { db, grant, settle } = await setUp(t);
  await grant(100n, 30);
  await settle(50n);
  for (const statement of [
    'update promo_credits set amount_minor = 200',
    `update promo_credits set expires_at = expires_at + interval '1 day'`,
    `update promo_credits set reason = 'Other'`,
    'delete from promo_credits',
    'truncate promo_credits cascade',
    'update promo_draws set amount_minor = 1',
    'delete from promo_draws',
    'truncate promo_draws',
  ])
    await assert.rejects(db.script(statement), /never changes/, statement);
  await db.script('update promo_credits set revoked_at = now()');
  await assert.rejects(db.script('update promo_credits set revoked_at = null'), /never changes/);
});
