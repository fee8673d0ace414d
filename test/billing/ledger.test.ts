import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { findInvoice, invoiceLines } from '../../server/db/queries/money/invoices.ts';
import { listOrders, type OrderRow } from '../../server/db/queries/money/orders.ts';
import {
  completeOrder,
  failOrder,
  placeOrder,
  requireAtMost,
  settleNow,
} from '../../server/domain/billing/ledger.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { ApiError } from '../../server/platform/errors.ts';
import { freshDatabase } from '../support/database.ts';
import {
  balancesOf,
  chargeOf,
  fundedAccount,
  journalBalancesOf,
  orderOf,
  reasonsOf,
  storedVm,
  withLedger,
} from './support.ts';

async function setUp(t: TestContext, funds = 1000n) {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-15T00:00:00Z');
  const accountId = await fundedAccount(db, clock, funds);
  const vm = await storedVm(db, clock, accountId);
  /** Places an order one second after the previous one, so that the latest order also has the highest id. */
  const order = (write: typeof placeOrder, amounts: bigint[]) => {
    clock.advance(1000);
    return withLedger(db, clock, (ledger) => write(ledger, orderOf(clock, vm, ...amounts)));
  };
  return {
    db,
    clock,
    accountId,
    vm,
    place: (...amounts: bigint[]) => order(placeOrder, amounts),
    settle: (...amounts: bigint[]) => order(settleNow, amounts),
    complete: (order: OrderRow) =>
      withLedger(db, clock, (ledger) => completeOrder(ledger, accountId, order.id, clock.now())),
    fail: (order: OrderRow) =>
      withLedger(db, clock, (ledger) => failOrder(ledger, accountId, order.id, clock.now())),
    latest: async () => (await listOrders(db, accountId, {}, { limit: 1, afterId: null }))[0]!,
    /** Returns the wallet, after checking that the journal has the same balances. */
    wallet: async () => {
      const balances = await balancesOf(db, accountId);
      assert.deepEqual(await journalBalancesOf(db, accountId), balances);
      return balances;
    },
  };
}

test('the cost of an order is held, and captured when its work is done', async (t) => {
  const { db, clock, accountId, place, complete, latest, wallet } = await setUp(t);
  const order = await place(399n);
  assert.equal(order.status, 'pending');
  assert.equal(order.balance_after_minor, null, 'known once it is settled');
  assert.deepEqual(await wallet(), { available: 601n, held: 399n });

  clock.advance(4000);
  await complete(order);
  assert.deepEqual(await wallet(), { available: 601n, held: 0n });
  const settled = await latest();
  assert.equal(settled.status, 'completed');
  assert.deepEqual(settled.settled_at, clock.now());
  assert.ok(await findInvoice(db, accountId, settled.invoice_id!));
  assert.equal(settled.balance_after_minor, 601n);
  assert.deepEqual((await reasonsOf(db, accountId)).slice(1), ['hold', 'capture', 'capture']);
});

test('a hold is released when the work fails', async (t) => {
  const { db, accountId, place, fail, latest, wallet } = await setUp(t);
  await fail(await place(399n));
  assert.deepEqual(await wallet(), { available: 1000n, held: 0n });
  const { status, invoice_id, balance_after_minor } = await latest();
  assert.deepEqual([status, invoice_id, balance_after_minor], ['failed', null, null]);
  assert.deepEqual((await reasonsOf(db, accountId)).slice(1), ['hold', 'release']);
});

test('a refund waits for the work: paid when it is done, never when it fails', async (t) => {
  const { place, complete, fail, wallet } = await setUp(t);
  const failing = await place(-149n);
  assert.deepEqual(await wallet(), { available: 1000n, held: 0n });
  await fail(failing);
  assert.deepEqual(await wallet(), { available: 1000n, held: 0n });
  await complete(await place(-149n));
  assert.deepEqual(await wallet(), { available: 1149n, held: 0n });
});

test('a renewal and a refund settle at once', async (t) => {
  const { db, accountId, settle, latest, wallet } = await setUp(t);
  const order = await settle(399n);
  assert.deepEqual(await wallet(), { available: 601n, held: 0n });
  await settle(-199n);
  assert.deepEqual(await wallet(), { available: 800n, held: 0n });
  const refund = await latest();
  assert.equal(refund.status, 'completed');
  assert.equal(refund.balance_after_minor, 800n);
  const note = (await findInvoice(db, accountId, refund.invoice_id!))!;
  assert.equal(note.type, 'credit_note');
  assert.deepEqual(note.corrects, [{ invoice_id: order.invoice_id, number: null }]);
  assert.deepEqual((await reasonsOf(db, accountId)).slice(1), ['charge', 'charge', 'refund', 'refund']);
});

test('the last unit can be spent, one more cannot', async (t) => {
  const { db, accountId, place, settle, wallet } = await setUp(t);
  for (const attempt of [place, settle]) {
    await assert.rejects(attempt(1001n), (error) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, 'insufficient_funds');
      assert.deepEqual(error.details, {
        required_minor: 1001,
        available_minor: 1000,
        shortfall_minor: 1,
        currency: 'EUR',
      });
      return true;
    });
  }
  assert.deepEqual(await db.query(sql`select 1 from orders`), []);
  assert.deepEqual(await wallet(), { available: 1000n, held: 0n });
  await place(1000n);
  assert.deepEqual(await wallet(), { available: 0n, held: 1000n });
  assert.equal((await reasonsOf(db, accountId)).length, 2);
});

test('a free order moves nothing and completes', async (t) => {
  const { db, accountId, place, complete, settle, latest } = await setUp(t, 0n);
  await complete(await place(0n));
  assert.equal((await latest()).status, 'completed');
  assert.deepEqual(await reasonsOf(db, accountId), []);
  const { balance_after_minor } = await settle(-399n, 399n);
  assert.equal(balance_after_minor, 0n, 'its lines are booked, the wallet stays as it is');
});

test('settling twice is harmless, in any order', async (t) => {
  const { place, complete, fail, latest, wallet } = await setUp(t);
  const captured = await place(399n);
  for (const settle of [complete, complete, fail]) await settle(captured);
  assert.equal((await latest()).status, 'completed');
  assert.deepEqual(await wallet(), { available: 601n, held: 0n });

  const released = await place(100n);
  for (const settle of [fail, fail, complete]) await settle(released);
  assert.equal((await latest()).status, 'failed');
  assert.deepEqual(await wallet(), { available: 601n, held: 0n });
});

test('a failed transaction leaves no order, hold or invoice', async (t) => {
  const { db, clock, vm, wallet } = await setUp(t);
  const work = withLedger(db, clock, async (ledger) => {
    await placeOrder(ledger, orderOf(clock, vm, 399n));
    await settleNow(ledger, orderOf(clock, vm, 100n));
    throw new Error('afterwards');
  });
  await assert.rejects(work, /afterwards/);
  assert.deepEqual(await wallet(), { available: 1000n, held: 0n });
  for (const table of [sql`orders`, sql`order_lines`, sql`invoices`]) {
    assert.deepEqual(await db.query(sql`select 1 from ${table}`), []);
  }
});

test('the lines of an order become the lines of its invoice, and add up to its total', async (t) => {
  const { db, accountId, vm, place, complete, fail, settle, latest } = await setUp(t);
  await complete(await place(-199n, 350n));
  await fail(await place(77n));
  await settle(399n);
  await place(5n);
  const { invoice_id } = await latest();
  assert.equal(invoice_id, null, 'a pending order is on no invoice');
  const [settled] = await db.query<{ invoice_id: string }>(
    sql`select distinct invoice_id from orders where invoice_id is not null`,
  );
  const invoice = (await findInvoice(db, accountId, settled!.invoice_id))!;
  const lines = await invoiceLines(db, invoice);
  assert.deepEqual(
    lines.map((line) => line.amount_minor),
    [-199n, 350n, 399n],
  );
  assert.ok(lines.every((line) => line.vm_id === vm.id));
  assert.equal(invoice.total_minor, 550n);
  assert.deepEqual(
    lines.map((line) => [line.tax_rate, line.tax_minor]),
    [
      ['0.2', -33n],
      ['0.2', 58n],
      ['0.2', 67n],
    ],
  );
  assert.equal(invoice.tax_minor, 92n);
});

test("a price above the caller's maximum is refused", () => {
  requireAtMost(chargeOf(399n), undefined);
  requireAtMost(chargeOf(399n), 399);
  requireAtMost(chargeOf(-399n), 0);
  assert.throws(
    () => requireAtMost(chargeOf(399n), 398),
    (error) =>
      error instanceof ApiError && error.code === 'price_changed' && error.details?.price_minor === 399,
  );
});

test('the journal is append-only', async (t) => {
  const { db } = await setUp(t);
  await assert.rejects(db.query(sql`update journal set amount_minor = 1`), /append-only/);
  await assert.rejects(db.query(sql`delete from journal`), /append-only/);
});
