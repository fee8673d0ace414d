import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { findInvoice, listInvoices } from '../../server/db/queries/money/invoices.ts';
import { settleNow } from '../../server/domain/billing/ledger.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { freshDatabase } from '../support/database.ts';
import { ledgerProblems } from '../support/invariants.ts';
import { issueInvoices } from '../support/issue.ts';
import { chargeOf, fundedAccount, orderOf, storedVm, withLedger } from './support.ts';

const date = (text: string) => new Date(text);
const everything = { limit: 100, afterId: null };

/** An account with a VM that was charged 399 on 20 January. */
async function setUp(t: TestContext) {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-20T00:00:00Z');
  const accountId = await fundedAccount(db, clock, 100_000n);
  const vm = await storedVm(db, clock, accountId);
  const settle = (...amounts: bigint[]) =>
    withLedger(db, clock, (ledger) => settleNow(ledger, orderOf(clock, vm, ...amounts)));
  /** Settles by a clock that has stepped back. */
  const settleAt = (at: string, amount: bigint) => {
    const behind = new ManualClock(at);
    return withLedger(db, behind, (ledger) => settleNow(ledger, orderOf(behind, vm, amount)));
  };
  const issue = (at: string) => issueInvoices(db, date(at));
  const invoice = async (id: string | null) => (await findInvoice(db, accountId, id!))!;
  const sale = await settle(399n);
  return { db, clock, accountId, vm, settle, settleAt, issue, invoice, sale };
}

test('an issued document never changes, even if the clock steps back over the end of its month', async (t) => {
  const { db, accountId, settleAt, issue, invoice, sale } = await setUp(t);
  assert.equal(await issue('2026-02-01T00:10:00Z'), 1);
  const issued = await invoice(sale.invoice_id);
  const late = await settleAt('2026-01-31T23:59:00Z', 100n);
  assert.notEqual(late.invoice_id, sale.invoice_id);
  assert.deepEqual(await invoice(sale.invoice_id), issued);
  assert.equal((await invoice(late.invoice_id)).status, 'draft');
  assert.equal(await issue('2026-02-01T00:11:00Z'), 1);
  const { number, period_start_at } = await invoice(late.invoice_id);
  assert.deepEqual([number, period_start_at], ['INV-000002', issued.period_start_at]);
  assert.equal((await listInvoices(db, accountId, {}, everything)).length, 2);
  assert.deepEqual(await ledgerProblems(db), []);
});

test('no number has an earlier date than the number before it', async (t) => {
  const { settleAt, issue, invoice, sale } = await setUp(t);
  await issue('2026-03-05T00:00:00Z');
  const february = await settleAt('2026-02-10T00:00:00Z', 100n);
  await issue('2026-03-01T00:10:00Z');
  const [first, second] = [await invoice(sale.invoice_id), await invoice(february.invoice_id)];
  assert.deepEqual([first.number, second.number], ['INV-000001', 'INV-000002']);
  assert.deepEqual(second.issued_at, first.issued_at);
});

test('a refund is a credit note in its own series, and names the document that it corrects', async (t) => {
  const { db, accountId, settleAt, issue, invoice, sale } = await setUp(t);
  await issue('2026-02-01T00:10:00Z');
  const refund = await settleAt('2026-02-03T00:00:00Z', -241n);
  const draft = await invoice(refund.invoice_id);
  assert.deepEqual([draft.type, draft.status, draft.number], ['credit_note', 'draft', null]);
  assert.deepEqual(draft.corrects, [{ invoice_id: sale.invoice_id, number: 'INV-000001' }]);
  await issue('2026-03-01T00:10:00Z');
  const note = await invoice(refund.invoice_id);
  assert.deepEqual([note.number, note.total_minor, note.tax_minor], ['CN-000001', -241n, -40n]);
  const paid = await listInvoices(db, accountId, { type: 'invoice' }, everything);
  assert.deepEqual(
    paid.map((invoice) => [invoice.number, invoice.total_minor, invoice.corrects]),
    [['INV-000001', 399n, []]],
  );
  assert.deepEqual(await ledgerProblems(db), []);
});

test('a credit note waits for the invoices that it corrects', async (t) => {
  const { db, settle, issue, invoice, sale } = await setUp(t);
  const refund = await settle(-100n);
  await issue('2026-01-31T23:59:59Z');
  assert.equal((await invoice(refund.invoice_id)).status, 'draft', 'the month is not over');
  await issueInvoices(db, date('2026-02-01T00:10:00Z'), 1);
  assert.equal((await invoice(sale.invoice_id)).number, 'INV-000001');
  assert.equal((await invoice(refund.invoice_id)).status, 'draft');
  await issueInvoices(db, date('2026-02-01T00:10:00Z'), 1);
  const note = await invoice(refund.invoice_id);
  assert.deepEqual([note.number, note.corrects[0]!.number], ['CN-000001', 'INV-000001']);
});

test('numbers of different accounts are one series', async (t) => {
  const { db, clock, issue } = await setUp(t);
  for (let n = 0; n < 3; n++) {
    const other = await storedVm(db, clock, await fundedAccount(db, clock, 1000n));
    await withLedger(db, clock, (ledger) => settleNow(ledger, orderOf(clock, other, 5n)));
  }
  await issue('2026-02-01T00:10:00Z');
  const rows = await db.query<{ number: string }>(sql`select number from invoices order by number`);
  assert.deepEqual(
    rows.map(({ number }) => number),
    ['INV-000001', 'INV-000002', 'INV-000003', 'INV-000004'],
  );
});

test('the database refuses any change of issued, settled or booked rows', async (t) => {
  const { db, settle, issue, sale } = await setUp(t);
  const refund = await settle(-100n);
  await issue('2026-02-01T00:10:00Z');
  const attempts = [
    `update invoices set paid_at = now() where id = '${sale.invoice_id}'`,
    `update invoices set status = 'draft' where id = '${sale.invoice_id}'`,
    `delete from invoices where id = '${sale.invoice_id}'`,
    `update orders set amount_minor = 1 where id = '${sale.id}'`,
    `update orders set invoice_id = null where id = '${sale.id}'`,
    `delete from orders where id = '${sale.id}'`,
    `update order_lines set tax_rate = 0 where order_id = '${sale.id}'`,
    `delete from order_lines where order_id = '${sale.id}'`,
    `insert into order_lines select order_id, 7, description, quantity, unit, unit_price, 0, from_at, to_at, proration,
       tax_rate, 0 from order_lines where order_id = '${sale.id}'`,
    `update invoice_corrections set invoice_id = credit_note_id`,
    `delete from invoice_corrections`,
    `insert into invoice_corrections values ('${refund.invoice_id}', '${refund.invoice_id}')`,
    `update journal set amount_minor = 1`,
    `delete from journal`,
    `update number_series set last = 0`,
    `delete from number_series`,
    ...['journal', 'orders', 'order_lines', 'invoices', 'invoice_corrections', 'number_series'].map(
      (table) => `truncate ${table} cascade`,
    ),
  ];
  const dump = () =>
    db.query(sql`select to_jsonb(orders) || to_jsonb(order_lines) || to_jsonb(invoices) as row
    from orders join order_lines on order_id = orders.id join invoices on invoices.id = invoice_id order by 1`);
  const before = await dump();
  for (const attempt of attempts)
    await assert.rejects(db.script(attempt), /never changes|only goes forward|append-only|no draft/, attempt);
  assert.deepEqual(await dump(), before);
  assert.deepEqual(await ledgerProblems(db), []);
});

test('no order joins an invoice that is issued, or of another account', async (t) => {
  const { db, clock, vm, issue, sale } = await setUp(t);
  const stranger = await storedVm(db, clock, await fundedAccount(db, clock, 1000n));
  const other = await withLedger(db, clock, (ledger) => settleNow(ledger, orderOf(clock, stranger, 5n)));
  const join = (invoiceId: string | null) =>
    db.script(`
      insert into orders (id, account_id, kind, status, amount_minor, currency, created_at)
        values ('ord_x', '${vm.account_id}', 'adjustment', 'pending', 5, 'EUR', now());
      update orders set status = 'completed', invoice_id = '${invoiceId}' where id = 'ord_x'`);
  await assert.rejects(join(other.invoice_id), /no draft of its account/);
  await issue('2026-02-01T00:10:00Z');
  await assert.rejects(join(sale.invoice_id), /no draft of its account/);
});

test('lines of different rates keep theirs, and the invoice adds them up', async (t) => {
  const { db, clock, vm, invoice, sale } = await setUp(t);
  const charge = chargeOf(1000n, 500n);
  Object.assign(charge.lines[0]!, { tax_rate: '0.08875', tax_minor: 82n });
  const request = { ...orderOf(clock, vm), charge };
  await withLedger(db, clock, (ledger) => settleNow(ledger, request));
  assert.equal((await invoice(sale.invoice_id)).tax_minor, 67n + 82n + 83n);
  const rows = await db.query<{ code: string; amount: bigint }>(sql`
    select credit as code, sum(amount_minor)::bigint as amount from journal where credit like '%:0%' group by 1 order by 1`);
  assert.deepEqual(rows, [
    { code: 'revenue:0.08875', amount: 918n },
    { code: 'revenue:0.2', amount: 332n + 417n },
    { code: 'tax:0.08875', amount: 82n },
    { code: 'tax:0.2', amount: 67n + 83n },
  ]);
  assert.deepEqual(await ledgerProblems(db), []);
});
