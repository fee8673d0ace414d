import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Database, sql } from '../../server/db/database.ts';
import type { VmRow } from '../../server/db/queries/vms/vms.ts';
import type { BillingProfile } from '../../server/domain/tax/billing-profile.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { fundedAccount, storedVm } from '../billing/support.ts';
import { freshDatabase } from '../support/database.ts';
import { ledgerProblems } from '../support/invariants.ts';
import { issueInvoices } from '../support/issue.ts';
import { documentSales, journalSales, listedSales } from './support/sales.ts';
import { SELLER } from './support/samples.ts';
import { DUTCH, profile, sell, setProfile, termsFor } from './support/seller.ts';

const JANUARY = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2026-02-01T00:00:00Z') };
const EVER = { from: JANUARY.from, to: new Date('2027-01-01T00:00:00Z') };

interface Shop {
  db: Database;
  clock: ManualClock;
  vm: VmRow;
  /** Sells to `buyer`, who stays in the account's billing profile. */
  sellTo(buyer: BillingProfile, amounts: bigint[]): Promise<unknown>;
}

async function open(t: TestContext): Promise<Shop> {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-05T00:00:00Z');
  const accountId = await fundedAccount(db, clock, 1_000_000n);
  const vm = await storedVm(db, clock, accountId);
  const sellTo = async (buyer: BillingProfile, amounts: bigint[]) => {
    await setProfile(db, clock, accountId, buyer);
    clock.advance(1_000);
    return sell(db, clock, vm, amounts, termsFor(buyer));
  };
  return { db, clock, vm, sellTo };
}

const issue = (db: Database) => issueInvoices(db, new Date('2026-02-01T00:10:00Z'), 100, SELLER);

/** The seller is not registered in France, so French sales have Germany's rate: only the country distinguishes them. */
const FRENCH = profile({ country: 'FR' });

test('a sale keeps the country and VAT id of its day, and a refund those of its sale', async (t) => {
  const { db, clock, vm, sellTo } = await open(t);
  await sellTo(profile(), [999n]);
  await sellTo(DUTCH, [839n]);
  await sellTo(FRENCH, [999n]);
  clock.advance(1_000);
  await sell(db, clock, vm, [-500n], termsFor(DUTCH));
  const lines = await db.query(
    sql`select sold_to, tax_category from order_lines join orders on id = order_id order by id, position`,
  );
  assert.deepEqual(lines, [
    { sold_to: { country: 'DE' }, tax_category: 'standard' },
    { sold_to: { country: 'NL', vat_id: DUTCH.vat_id }, tax_category: 'reverse_charge' },
    { sold_to: { country: 'FR' }, tax_category: 'standard' },
    { sold_to: { country: 'NL', vat_id: DUTCH.vat_id }, tax_category: 'reverse_charge' },
  ]);
});

test('documents, journal and list of sales agree by rate, country, category and VAT id', async (t) => {
  const { db, sellTo } = await open(t);
  // 3 × 0.16 of 0.99 is 0.48 of tax, but 2.97 contains 0.47: a unit is booked in the country of its line.
  await sellTo(profile(), [99n, 99n, 99n]);
  await sellTo(FRENCH, [99n, 99n, 99n, 99n]);
  await sellTo(DUTCH, [839n]);
  await sellTo(profile({ exempt_reason: 'Diplomatic mission' }), [100n]);
  await sellTo(DUTCH, [-39n]);
  await issue(db);
  const documents = await documentSales(db);
  assert.deepEqual(await journalSales(db, EVER), documents);
  assert.deepEqual(await listedSales(db, JANUARY.from), documents);
  assert.deepEqual(Object.keys(documents).toSorted(), [
    '0 DE exempt -',
    `0 NL reverse_charge ${DUTCH.vat_id}`,
    '0.19 DE standard -',
    '0.19 FR standard -',
  ]);
  assert.deepEqual(await ledgerProblems(db), []);
});

test('a draft is on the list of sales as booked so far', async (t) => {
  const { db, sellTo } = await open(t);
  await sellTo(FRENCH, [99n, 99n, 99n]);
  assert.deepEqual(await listedSales(db, JANUARY.from), { '0.19 FR standard -': { net: 249n, tax: 48n } });
  assert.deepEqual(await journalSales(db, EVER), await listedSales(db, JANUARY.from));
});

test('a customer without billing details has no country', async (t) => {
  const { db, clock, vm } = await open(t);
  await sell(db, clock, vm, [999n], termsFor(undefined));
  await issue(db);
  assert.deepEqual(Object.keys(await listedSales(db, JANUARY.from)), ['0.19 - standard -']);
  assert.deepEqual(await journalSales(db, EVER), await listedSales(db, JANUARY.from));
});

test('a node of the last release books without a country: the store notes it', async (t) => {
  const { db, clock, vm, sellTo } = await open(t);
  await sellTo(DUTCH, [300n]);
  await sellTo(profile({ exempt_reason: 'Diplomatic mission' }), [300n]);
  await setProfile(db, clock, vm.account_id, profile());
  const order = await sell(db, clock, vm, [999n, 0n, 700n], termsFor(profile()));
  const own = sql`select debit, credit, amount_minor, tax_category, country, vat_id from journal where order_id = ${order.id} order by id`;
  const written = await db.query(own);
  assert.equal(written.length, 4);
  await db.query(sql`alter table journal disable trigger journal_append_only`);
  await db.query(sql`delete from journal where order_id = ${order.id}`);
  // Like 0.10.0: all entries of an order in one statement.
  await db.query(sql`
    insert into journal (account_id, debit, credit, amount_minor, currency, reason, order_id, created_at)
    select account_id, 'wallet', code, amount, currency, 'charge', orders.id, now()
    from orders join order_lines on order_id = orders.id, lateral (
      values (1, 'deferred:' || trim_scale(tax_rate), order_lines.amount_minor - tax_minor), (2, 'tax:' || trim_scale(tax_rate), tax_minor)
    ) leg (number, code, amount) where orders.id = ${order.id} and amount <> 0 order by position, number`);
  assert.deepEqual(await db.query(own), written);
});

test('bookings from before buyers were recorded have the country of their document', async (t) => {
  const { db, clock, vm, sellTo } = await open(t);
  await sellTo(DUTCH, [300n, 300n]);
  // Two kinds at one rate in one order, with equal amounts: entries follow the lines.
  const exempt = termsFor(profile({ exempt_reason: 'Diplomatic mission' }));
  await sell(db, clock, vm, [300n], exempt);
  await sellTo(DUTCH, [999n, 999n]);
  await forget(db);
  // A draft has the country of the present billing profile, an issued document its buyer's.
  assert.deepEqual(await journalSales(db, EVER), await listedSales(db, JANUARY.from));
  assert.deepEqual(Object.keys(await listedSales(db, JANUARY.from)).toSorted(), [
    `0 NL exempt ${DUTCH.vat_id}`,
    `0 NL reverse_charge ${DUTCH.vat_id}`,
  ]);
  await issue(db);
  await setProfile(db, clock, vm.account_id, profile({ country: 'US' }));
  const documents = await documentSales(db);
  assert.deepEqual(await journalSales(db, EVER), documents);
  assert.deepEqual(await listedSales(db, JANUARY.from), documents);
  assert.deepEqual(Object.keys(documents).toSorted(), [
    `0 NL exempt ${DUTCH.vat_id}`,
    `0 NL reverse_charge ${DUTCH.vat_id}`,
  ]);
});

test('the audit finds an entry whose country was edited', async (t) => {
  const { db, sellTo } = await open(t);
  await sellTo(FRENCH, [999n]);
  await issue(db);
  await db.query(sql`alter table journal disable trigger journal_append_only`);
  await db.query(sql`update journal set country = 'DE' where tax_category is not null`);
  const problems = await ledgerProblems(db);
  assert.ok(
    problems.some((problem) => problem.includes('at its rate, category, country and VAT id')),
    `${problems}`,
  );
});

/** Turns all bookings into those of the last release. */
async function forget(db: Database): Promise<void> {
  for (const table of ['journal', 'order_lines'])
    await db.query(sql([`alter table ${table} disable trigger user`]));
  await db.query(sql`update journal set tax_category = null, country = null, vat_id = null`);
  await db.query(sql`update order_lines set sold_to = null`);
  for (const table of ['journal', 'order_lines'])
    await db.query(sql([`alter table ${table} enable trigger user`]));
}
