import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { listSeries, notePlaceOfBooks, placesOfBooks } from '../../server/db/queries/money/series.ts';
import { answerSeries } from '../../server/domain/billing/answer-series.ts';
import { auditNow } from '../../server/domain/billing/audit/audit.ts';
import { settleNow } from '../../server/domain/billing/ledger.ts';
import { SeriesWatch } from '../../server/jobs/timers/watch-series.ts';
import { noteUnbooked } from '../../server/payments/unbooked-payments.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';
import { issueInvoices } from '../support/issue.ts';
import { fundedAccount, orderOf, storedVm, withLedger } from './support.ts';

const MONTH_MS = 31 * 86_400_000;

/** A seller that issues one invoice and one credit note per month, with the lines that it logs. */
async function seller(t: TestContext) {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-10T00:00:00Z');
  const dataDir = await mkdtemp(join(tmpdir(), 'vauban-series-'));
  defer(t, () => rm(dataDir, { recursive: true }));
  const errors: string[] = [];
  const logger = { error: (_: object, text: string) => errors.push(text), warn() {}, info() {} };
  const services = { db, clock, config: { dataDir }, logger: logger as never };
  const accountId = await fundedAccount(db, clock, 100_00n);
  const vm = await storedVm(db, clock, accountId);
  /** Stands for a node that has just started. */
  const newNode = () => new SeriesWatch(services);
  const issue = async (watch = newNode()) => {
    await watch.check();
    const issued = await issueInvoices(db, clock.now());
    await watch.note();
    return issued;
  };
  const sellFor = async (months: number) => {
    for (let month = 0; month < months; month++) {
      await withLedger(db, clock, (ledger) => settleNow(ledger, orderOf(clock, vm, 300n)));
      await withLedger(db, clock, (ledger) => settleNow(ledger, orderOf(clock, vm, -100n)));
      clock.advance(MONTH_MS);
    }
  };
  const asked = async () => [...new Set((await listSeries(db)).map(({ asked_because }) => asked_because))];
  const answer = (invoice: bigint, credit_note: bigint) =>
    db.transaction((tx) => answerSeries(tx, clock, { invoice, credit_note }, 'anna'));
  const numbers = async () => {
    const rows = await db.query<{ number: string }>(
      sql`select number from invoices where number is not null order by type desc, sequence`,
    );
    return rows.map(({ number }) => number);
  };
  const sound = async () => assert.deepEqual(await auditNow(db), []);
  return { ...services, accountId, errors, newNode, issue, sellFor, asked, answer, numbers, sound };
}

test('books that stay in place issue without a question, on every node', async (t) => {
  const shop = await seller(t);
  await shop.sellFor(2);
  assert.equal(await shop.issue(), 4);
  assert.equal(await shop.issue(), 0);
  assert.deepEqual(await shop.asked(), [null]);
  assert.deepEqual(shop.errors, []);
  const kept = JSON.parse(await readFile(join(shop.config.dataDir, 'issued-numbers.json'), 'utf8'));
  assert.deepEqual([kept.invoice, kept.credit_note], ['2', '2']);
});

test('a dump restored into another database asks for the last numbers, and continues after them', async (t) => {
  const shop = await seller(t);
  const { db } = shop;
  await shop.sellFor(2);
  await shop.issue();
  await shop.sellFor(1);
  const { here } = await placesOfBooks(db);
  await notePlaceOfBooks(db, `${here}0`);
  assert.equal(await shop.issue(), 0);
  assert.equal(await shop.issue(), 0, 'another node asks as well');
  assert.deepEqual(await shop.asked(), ['moved_database']);
  assert.equal(shop.errors.length, 1, 'said once');
  await shop.sound();
  // Sales continue while the question is open.
  await shop.sellFor(1);
  await assert.rejects(shop.answer(1n, 2n), { code: 'validation_failed' });
  await assert.rejects(shop.answer(2_000_000n, 2n), { code: 'validation_failed' });
  assert.deepEqual(await shop.asked(), ['moved_database']);
  await shop.answer(41n, 2n);
  assert.equal(await shop.issue(), 4);
  assert.deepEqual(await shop.numbers(), [
    ...['INV-000001', 'INV-000002', 'INV-000042', 'INV-000043'],
    ...['CN-000001', 'CN-000002', 'CN-000003', 'CN-000004'],
  ]);
  assert.deepEqual(await shop.asked(), [null]);
  await shop.sound();
  await shop.sellFor(1);
  assert.equal(await shop.issue(), 2, 'and stays answered');
  await shop.sound();
});

test('a node that has seen higher numbers asks, and accepts no lower answer', async (t) => {
  const shop = await seller(t);
  await shop.sellFor(2);
  await shop.issue();
  const path = join(shop.config.dataDir, 'issued-numbers.json');
  const kept = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(path, JSON.stringify({ ...kept, invoice: '7' }));
  await shop.sellFor(1);
  assert.equal(await shop.issue(), 0);
  assert.deepEqual(await shop.asked(), ['lost_numbers']);
  await assert.rejects(shop.answer(6n, 2n), { code: 'validation_failed' });
  await shop.answer(7n, 2n);
  await shop.issue();
  assert.deepEqual((await shop.numbers()).slice(0, 3), ['INV-000001', 'INV-000002', 'INV-000008']);
  await shop.sound();
});

test('numbers of other books, and an unreadable file, ask nothing', async (t) => {
  const shop = await seller(t);
  const path = join(shop.config.dataDir, 'issued-numbers.json');
  await shop.sellFor(1);
  for (const text of [
    '',
    '{',
    '[]',
    'null',
    '{"books":"acc_0","invoice":"99","credit_note":"99"}',
    `{"books":"${shop.accountId}","invoice":99,"credit_note":"-1"}`,
  ]) {
    await writeFile(path, text);
    await shop.newNode().check();
    assert.deepEqual(await shop.asked(), [null], text);
  }
  assert.equal(await shop.issue(), 2);
});

test('a payment that is missing in the books blocks documents too', async (t) => {
  const shop = await seller(t);
  await shop.sellFor(1);
  await noteUnbooked(shop, {
    ...{ provider: 'stripe', provider_ref: 'pi_1', top_up_id: 'top_1', account_id: shop.accountId },
    ...{ amount_minor: 1_00n, currency: 'EUR', paid_at: shop.clock.now() },
  });
  assert.equal(await shop.issue(), 0);
  assert.deepEqual(await shop.asked(), ['lost_payment']);
  await shop.answer(0n, 0n);
  assert.equal(await shop.issue(), 2);
  assert.deepEqual(await shop.numbers(), ['INV-000001', 'CN-000001']);
  await shop.sound();
});

test('an unrecorded gap is still found', async (t) => {
  const shop = await seller(t);
  await shop.sellFor(3);
  await shop.issue();
  await shop.db.transaction(async (tx) => {
    await tx.query(sql`set local session_replication_role = replica`);
    await tx.query(
      sql`update invoices set sequence = 9, number = 'INV-000009' where type = 'invoice' and sequence = 3`,
    );
  });
  const laws = (await auditNow(shop.db)).map(({ law }) => law);
  assert.ok(laws.includes('document numbers have no gaps and no duplicates'), laws.join());
});
