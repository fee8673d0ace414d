import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { billedVms } from '../../server/db/queries/money/billed-vms.ts';
import { accountConsumption } from '../../server/db/queries/money/consumption.ts';
import { findInvoice, invoiceLines, listInvoices } from '../../server/db/queries/money/invoices.ts';
import {
  completedOrdersOfVm,
  listOrders,
  netOfOrders,
  orderTotalsOfVm,
} from '../../server/db/queries/money/orders.ts';
import { listPayments } from '../../server/db/queries/money/payments.ts';
import { completeOrder, failOrder, placeOrder, settleNow } from '../../server/domain/billing/ledger.ts';
import { burnRateMonthly } from '../../server/domain/billing/overview.ts';
import { calendarMonth } from '../../server/domain/billing/period.ts';
import { catalogFor } from '../../server/domain/catalog/buyer-prices.ts';
import {
  presentInvoice,
  presentInvoiceWithLines,
} from '../../server/endpoints/customer/billing/invoice-shape.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { freshDatabase } from '../support/database.ts';
import { issueInvoices } from '../support/issue.ts';
import { catalog, fundedAccount, orderOf, storedVm, withLedger } from './support.ts';

const date = (text: string) => new Date(text);
const everything = { limit: 100, afterId: null };

/**
 * Creates an account with two VMs and charges in January and February, and a second account with one of everything that
 * no read of the first account may return.
 */
async function setUp(t: TestContext) {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-10T00:00:00Z');
  const accountId = await fundedAccount(db, clock, 100_000n);
  const strangerId = await fundedAccount(db, clock, 100_000n);
  const [vm, other, strange] = await Promise.all([
    storedVm(db, clock, accountId),
    storedVm(db, clock, accountId, { auto_renew: false, price_monthly_minor: 1000n }),
    storedVm(db, clock, strangerId, { price_monthly_minor: 7n }),
  ]);
  const settle = async (at: string, of: typeof vm, ...amounts: bigint[]) => {
    clock.set(date(at));
    return withLedger(db, clock, (ledger) => settleNow(ledger, orderOf(clock, of, ...amounts)));
  };
  await settle('2026-01-11T00:00:00Z', strange, 7n);
  const january = await settle('2026-01-12T00:00:00Z', vm, 399n);
  await settle('2026-01-31T23:59:59.999Z', other, -200n, 350n);
  const february = await settle('2026-02-01T00:00:00Z', vm, -99n);
  return { db, clock, accountId, strangerId, vm, other, strange, january, february };
}

test('an invoice collects a calendar month and shows the tax in its total', async (t) => {
  const { db, accountId, january, february } = await setUp(t);
  const [second, first, ...rest] = await listInvoices(db, accountId, {}, everything);
  assert.deepEqual(rest, []);
  assert.deepEqual([first!.id, second!.id], [january.invoice_id, february.invoice_id]);
  assert.deepEqual(presentInvoice(first!), {
    id: january.invoice_id,
    type: 'invoice',
    number: null,
    status: 'draft',
    period_start_at: date('2026-01-01T00:00:00Z'),
    period_end_at: date('2026-02-01T00:00:00Z'),
    subtotal_minor: 457,
    tax_minor: 92,
    total_minor: 549,
    currency: 'EUR',
    issued_at: null,
    paid_at: null,
    seller: null,
    buyer: null,
    order_reference: null,
    corrects: [],
  });
  const { type, total_minor, tax_minor, corrects } = presentInvoice(second!);
  assert.deepEqual([type, total_minor, tax_minor], ['credit_note', -99, -17]);
  assert.deepEqual(corrects, [{ invoice_id: january.invoice_id, number: null }]);
});

test('the lines of an invoice add up to it, in the order in which they were charged', async (t) => {
  const { db, accountId, strangerId, january, vm, other } = await setUp(t);
  const invoice = (await findInvoice(db, accountId, january.invoice_id!))!;
  const { lines } = presentInvoiceWithLines(invoice, await invoiceLines(db, invoice));
  assert.deepEqual(
    lines.map(({ vm_id, amount_minor, proration }) => ({ vm_id, amount_minor, proration })),
    [
      { vm_id: vm.id, amount_minor: 399, proration: false },
      { vm_id: other.id, amount_minor: -200, proration: true },
      { vm_id: other.id, amount_minor: 350, proration: true },
    ],
  );
  assert.equal(await findInvoice(db, strangerId, january.invoice_id!), undefined);
});

test('invoices are filtered by state and by the start of their period', async (t) => {
  const { db, accountId, january, february } = await setUp(t);
  await issueInvoices(db, date('2026-02-01T00:10:00Z'));
  const ids = async (filter: Parameters<typeof listInvoices>[2]) =>
    (await listInvoices(db, accountId, filter, everything)).map(({ id }) => id);
  assert.deepEqual(await ids({ status: 'paid' }), [january.invoice_id]);
  assert.deepEqual(await ids({ status: 'draft' }), [february.invoice_id]);
  assert.deepEqual(await ids({ from: date('2026-02-01T00:00:00Z') }), [february.invoice_id]);
  assert.deepEqual(await ids({ to: date('2026-02-01T00:00:00Z') }), [january.invoice_id]);
  assert.deepEqual(await ids({ status: 'draft', to: date('2026-02-01T00:00:00Z') }), []);
  const first = await listInvoices(db, accountId, {}, { limit: 1, afterId: null });
  assert.equal(first.length, 2, 'one more than asked tells that there is a next page');
  const next = await listInvoices(db, accountId, {}, { limit: 1, afterId: first[0]!.id });
  assert.deepEqual(
    next.map(({ id }) => id),
    [january.invoice_id],
  );
});

test("the net of a month leaves out pending, failed and other months' orders", async (t) => {
  const { db, clock, accountId, vm } = await setUp(t);
  const place = () => withLedger(db, clock, (ledger) => placeOrder(ledger, orderOf(clock, vm, 5000n)));
  const failed = await place();
  await withLedger(db, clock, (ledger) => failOrder(ledger, accountId, failed.id, clock.now()));
  const pending = await place();
  const net = (at: string) => netOfOrders(db, accountId, calendarMonth(date(at)));
  assert.equal(await net('2026-01-20T00:00:00Z'), 549n);
  assert.equal(await net('2026-02-20T00:00:00Z'), -99n);
  await withLedger(db, clock, (ledger) => completeOrder(ledger, accountId, pending.id, clock.now()));
  assert.equal(await net('2026-02-20T00:00:00Z'), 4901n);
  assert.equal(await net('2026-03-20T00:00:00Z'), 0n);
});

test('orders are filtered by VM and kind', async (t) => {
  const { db, accountId, vm, strange, january, february } = await setUp(t);
  const ids = async (filter: Parameters<typeof listOrders>[2]) =>
    (await listOrders(db, accountId, filter, everything)).map(({ id }) => id);
  assert.equal((await ids({})).length, 3);
  assert.deepEqual(await ids({ vm_id: vm.id }), [february.id, january.id]);
  assert.deepEqual(await ids({ vm_id: strange.id }), []);
  assert.equal((await ids({ kind: 'adjustment' })).length, 3);
  assert.deepEqual(await ids({ kind: 'renew' }), []);
});

test('the lifetime cost of a VM agrees with its list of charges', async (t) => {
  const { db, clock, vm, january, february } = await setUp(t);
  await withLedger(db, clock, (ledger) => placeOrder(ledger, orderOf(clock, vm, 5000n)));
  assert.deepEqual(await orderTotalsOfVm(db, vm.id), { charged_minor: 399n, refunded_minor: 99n });
  await issueInvoices(db, date('2026-02-01T00:10:00Z'));
  const orders = await completedOrdersOfVm(db, vm.id, 100);
  assert.deepEqual(
    orders.map(({ invoice_id, invoice_number }) => [invoice_id, invoice_number !== null]),
    [
      [february.invoice_id, false],
      [january.invoice_id, true],
    ],
  );
  assert.deepEqual(
    orders.map(({ amount_minor }) => amount_minor),
    [-99n, 399n],
  );
  assert.deepEqual(
    (await completedOrdersOfVm(db, vm.id, 1)).map(({ id }) => id),
    [february.id],
  );
});

test('a VM is billed from its creation until its deletion', async (t) => {
  const { db, clock, accountId, vm, other } = await setUp(t);
  const at = clock.now();
  await storedVm(db, clock, accountId, { status: 'deleting' });
  await storedVm(db, clock, accountId, { deleted_at: at });
  await storedVm(db, clock, accountId, { status: 'provisioning', provisioned_at: null });
  const suspended = await storedVm(db, clock, accountId, {
    status: 'suspended',
    unpaid_since: at,
    suspended_at: at,
    billing_period_end_at: date('2026-01-02T00:00:00Z'),
  });
  const billed = await billedVms(db, accountId);
  assert.deepEqual(billed[0]!.id, suspended.id);
  assert.deepEqual(billed.map(({ id }) => id).sort(), [vm.id, other.id, suspended.id].sort());
  assert.equal(burnRateMonthly(billed, catalogFor(catalog, undefined), clock.now()), 2n * 399n);
});

test('traffic of the month includes deleted VMs, and no other account', async (t) => {
  const { db, clock, accountId, vm, strange } = await setUp(t);
  const gone = await storedVm(db, clock, accountId, { deleted_at: date('2026-02-03T00:00:00Z') });
  const traffic: [string, string, bigint][] = [
    [vm.id, '2026-01-31', 1n],
    [vm.id, '2026-02-01', 20n],
    [vm.id, '2026-02-28', 300n],
    [vm.id, '2026-03-01', 4000n],
    [gone.id, '2026-02-02', 50_000n],
    [strange.id, '2026-02-02', 600_000n],
  ];
  for (const [vmId, day, out] of traffic) {
    await db.query(
      sql`insert into bandwidth_days (vm_id, day, in_bytes, out_bytes) values (${vmId}, ${day}::text::date, 9, ${out}::bigint)`,
    );
  }
  const month = calendarMonth(date('2026-02-10T00:00:00Z'));
  assert.deepEqual(await accountConsumption(db, accountId, month), {
    snapshots: 0,
    traffic_out_bytes: 50_320n,
  });
});

test('payments are those of the account, newest first', async (t) => {
  const { db, accountId } = await setUp(t);
  const payments = await listPayments(db, accountId, everything);
  assert.deepEqual(
    payments.map(({ amount_minor, status, currency }) => ({ amount_minor, status, currency })),
    [{ amount_minor: 100_000n, status: 'succeeded', currency: 'EUR' }],
  );
});
