import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from '../../server/db/database.ts';
import { transfer } from '../../server/db/queries/money/wallets.ts';
import { completeOrder, failOrder, placeOrder, settleNow } from '../../server/domain/billing/ledger.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { ApiError } from '../../server/platform/errors.ts';
import { inBatches } from '../../server/platform/in-batches.ts';
import { freshDatabase } from '../support/database.ts';
import { depth } from '../support/depth.ts';
import { ledgerProblems } from '../support/invariants.ts';
import { issueInvoices } from '../support/issue.ts';
import { balancesOf, fundedAccount, journalBalancesOf, orderOf, storedVm, withLedger } from './support.ts';

/** SQLSTATE of a violated check constraint. */
const CHECK_VIOLATION = '23514';

const count = async <T>(outcomes: Promise<T>[], matches: (reason: unknown) => boolean) => {
  const settled = await Promise.allSettled(outcomes);
  const rejected = settled.filter((outcome) => outcome.status === 'rejected');
  for (const { reason } of rejected) if (!matches(reason)) throw reason;
  return { done: settled.length - rejected.length, refused: rejected.length };
};

test('of many concurrent purchases, exactly as many succeed as the wallet covers', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock();
  const accountId = await fundedAccount(db, clock, 1000n);
  const vm = await storedVm(db, clock, accountId);
  const spend = (index: number) =>
    withLedger(db, clock, (ledger) =>
      index % 2 === 0
        ? placeOrder(ledger, orderOf(clock, vm, 100n))
        : settleNow(ledger, orderOf(clock, vm, 100n)),
    );
  const outcomes = Array.from({ length: 24 }, (_, index) => spend(index));
  const isRefusal = (reason: unknown) => reason instanceof ApiError && reason.code === 'insufficient_funds';
  assert.deepEqual(await count(outcomes, isRefusal), { done: 10, refused: 14 });
  const balances = await balancesOf(db, accountId);
  assert.equal(balances.available, 0n);
  assert.deepEqual(await journalBalancesOf(db, accountId), balances);
});

test('the database itself refuses an overdraft by code that did not check', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock();
  const accountId = await fundedAccount(db, clock, 250n);
  const isViolation = (reason: unknown) => (reason as { code?: string }).code === CHECK_VIOLATION;
  const take = (debit: 'wallet' | 'hold') =>
    db.transaction((tx) =>
      transfer(tx, {
        accountId,
        debit,
        credit: 'revenue:0.2',
        amountMinor: 100n,
        reason: 'test',
        at: clock.now(),
      }),
    );
  const outcomes = Array.from({ length: 8 }, () => take('wallet'));
  assert.deepEqual(await count(outcomes, isViolation), { done: 2, refused: 6 });
  assert.deepEqual(await count([take('hold')], isViolation), { done: 0, refused: 1 });
  assert.deepEqual(await balancesOf(db, accountId), { available: 50n, held: 0n });
  assert.deepEqual(await journalBalancesOf(db, accountId), { available: 50n, held: 0n });
});

test('an order that several settle at once is settled once', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock();
  const accountId = await fundedAccount(db, clock, 1000n);
  const vm = await storedVm(db, clock, accountId);
  const { id } = await withLedger(db, clock, (ledger) => placeOrder(ledger, orderOf(clock, vm, 400n)));
  await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      withLedger(db, clock, (ledger) =>
        (index % 2 ? completeOrder : failOrder)(ledger, accountId, id, clock.now()),
      ),
    ),
  );
  const { available, held } = await balancesOf(db, accountId);
  assert.equal(held, 0n);
  const [order] = await db.query<{ status: string }>(sql`select status from orders`);
  assert.equal(available, order!.status === 'completed' ? 600n : 1000n);
  const entries = await db.query(sql`select 1 from journal where order_id = ${id}`);
  // Either a hold and a release, or a hold and a capture with separate tax.
  assert.equal(entries.length, order!.status === 'completed' ? 3 : 2);
});

test('numbers have neither gap nor duplicate, whatever is issued, sold or fails concurrently', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-08-01T00:00:00Z');
  const accounts = await Promise.all([1, 2, 3].map(() => fundedAccount(db, clock, 10_000n)));
  const vms = await Promise.all(accounts.map((accountId) => storedVm(db, clock, accountId)));
  const settle = (index: number) =>
    withLedger(db, clock, async (ledger) => {
      const at = new Date(Date.UTC(2026, index % 6, 10));
      await settleNow(ledger, { ...orderOf(clock, vms[index % 3]!, index % 4 === 3 ? -1n : 2n), at });
      if (index % 5 === 0) throw new Error('rolled back');
    });
  const outcomes = Array.from({ length: 40 }, (_, index) => settle(index));
  const issuing = Array.from({ length: 8 }, () => issueInvoices(db, clock.now(), 3));
  const isRollback = (reason: unknown) => reason instanceof Error && reason.message === 'rolled back';
  assert.deepEqual(await count(outcomes, isRollback), { done: 32, refused: 8 });
  await Promise.all(issuing);
  await inBatches((limit) => issueInvoices(db, clock.now(), limit), 3);
  assert.deepEqual(await db.query(sql`select 1 from invoices where status = 'draft'`), []);
  for (const type of ['invoice', 'credit_note'] as const) {
    const rows = await db.query<{ number: string }>(
      sql`select number from invoices where type = ${type} order by number`,
    );
    const prefix = type === 'invoice' ? 'INV' : 'CN';
    assert.ok(rows.length > 1);
    assert.deepEqual(
      rows.map((row) => row.number),
      rows.map((_, place) => `${prefix}-${String(place + 1).padStart(6, '0')}`),
    );
  }
  assert.deepEqual(await ledgerProblems(db), []);
});

test('a wallet always follows from its history', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock();
  const amount = fc.bigInt({ min: -500n, max: 500n });
  const step = fc.record({
    how: fc.constantFrom('place', 'settle', 'complete', 'fail'),
    amount,
    which: fc.nat(20),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.bigInt({ min: 0n, max: 2000n }),
      fc.array(step, { maxLength: 15 }),
      async (funds, steps) => {
        const accountId = await fundedAccount(db, clock, funds);
        const vm = await storedVm(db, clock, accountId);
        const model = { available: funds, held: 0n };
        const pending: { id: string; amount: bigint }[] = [];
        for (const { how, amount, which } of steps) {
          await withLedger(db, clock, async (ledger) => {
            const cost = amount > 0n ? amount : 0n;
            if (how === 'place' || how === 'settle') {
              const run = how === 'place' ? placeOrder : settleNow;
              const outcome = run(ledger, orderOf(clock, vm, amount));
              if (cost > model.available) return assert.rejects(outcome, { code: 'insufficient_funds' });
              const { id } = await outcome;
              if (how === 'settle') model.available -= amount;
              else {
                model.available -= cost;
                model.held += cost;
                pending.push({ id, amount });
              }
              return;
            }
            const [order] = pending.splice(which % (pending.length || 1), 1);
            if (!order) return;
            await (how === 'complete' ? completeOrder : failOrder)(ledger, accountId, order.id, clock.now());
            const held = order.amount > 0n ? order.amount : 0n;
            model.held -= held;
            if (how === 'fail') model.available += held;
            else model.available += held - order.amount;
          });
          assert.deepEqual(await balancesOf(db, accountId), model);
          assert.deepEqual(await journalBalancesOf(db, accountId), model);
        }
      },
    ),
    { numRuns: depth(5, 25) },
  );
});
