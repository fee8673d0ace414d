import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Database, sql } from '../../server/db/database.ts';
import { eInvoice } from '../../server/documents/e-invoice.ts';
import { obstacleTo } from '../../server/documents/obstacle.ts';
import type { BillingProfile } from '../../server/domain/tax/billing-profile.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { fundedAccount, storedVm } from '../billing/support.ts';
import { Prng } from '../simulation/prng.ts';
import { freshDatabase } from '../support/database.ts';
import { ledgerProblems } from '../support/invariants.ts';
import { issueInvoices } from '../support/issue.ts';
import { documentSales, journalSales, listedSales } from './support/sales.ts';
import { SELLER } from './support/samples.ts';
import { DUTCH, documentOf, profile, sell, setProfile, termsFor } from './support/seller.ts';

const ACCOUNTS = Number(process.env.DOCUMENTS_ACCOUNTS ?? 500);
const SEED = process.env.DOCUMENTS_SEED ?? 'documents';
/**
 * Every e-invoice is checked by the rules; for this many the XML is also generated and validated against the schema.
 */
const WITH_SCHEMA = 50;
const JANUARY = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2026-02-01T00:00:00Z') };
const YEAR = { from: JANUARY.from, to: new Date('2027-01-01T00:00:00Z') };

/** One buyer for each tax case, and one who moves from one case to another in mid-month. */
const BUYERS: BillingProfile[] = [
  profile(),
  profile({ country: 'AT' }),
  profile({ country: 'FR' }),
  profile({ country: 'NO' }),
  profile({ country: 'MC' }),
  profile({ country: 'US' }),
  profile({ country: 'XK' }),
  profile({ country: 'GB', kind: 'business' }),
  profile({ exempt_reason: 'Diplomatic mission' }),
  DUTCH,
];

/** Net and tax by rate, country and category in text form. */
type Sums = Record<string, { net: bigint; tax: bigint }>;

test(`a month of ${ACCOUNTS} accounts of mixed tax cases: every document is valid, and documents are the journal`, async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-05T00:00:00Z');
  const prng = new Prng(SEED);
  const below = (count: number) => prng.between(0, count - 1);
  t.diagnostic(`seed ${SEED}`);
  for (let n = 0; n < ACCOUNTS; n++) {
    const accountId = await fundedAccount(db, clock, 1_000_000_000n);
    const vm = await storedVm(db, clock, accountId);
    for (let buys = 1 + below(3); buys > 0; buys--) {
      const buyer = prng.pick(BUYERS)!;
      await setProfile(db, clock, accountId, buyer);
      const price = BigInt(1 + below(3_000));
      const amounts = Array.from({ length: 1 + below(below(4) === 0 ? 60 : 4) }, () =>
        below(3) === 0 ? BigInt(1 + below(5_000)) : price,
      );
      const addOn = below(4) === 0 ? 'Backups' : undefined;
      await sell(db, clock, vm, amounts, termsFor(buyer), addOn);
      // A part of it is refunded at the rate of its sale.
      if (below(3) === 0) {
        const given = amounts.slice(0, 1 + below(amounts.length)).map((amount) => -amount);
        await sell(db, clock, vm, given, termsFor(buyer), addOn);
      }
    }
    // Some buyers have moved, or closed their business, by the end of the month.
    if (below(4) === 0) await setProfile(db, clock, accountId, prng.pick(BUYERS)!);
  }
  await issueInvoices(db, new Date('2026-02-01T00:10:00Z'), ACCOUNTS * 2, SELLER);
  assert.deepEqual(await db.query(sql`select id from invoices where status = 'draft'`), []);
  assert.deepEqual(await db.query(sql`select * from held_documents`), []);

  const issued = await db.query<{ id: string; account_id: string }>(
    sql`select id, account_id from invoices order by id`,
  );
  const written: Sums = {};
  for (const [index, { id, account_id }] of issued.entries()) {
    const { invoice, document } = await documentOf(db, account_id, id);
    const made = document();
    assert.equal(obstacleTo(made), undefined, invoice.number!);
    if (index < WITH_SCHEMA) await eInvoice(made);
    const sign = made.type === 'credit_note' ? -1n : 1n;
    for (const { category, tax_rate, net_minor, tax_minor } of made.taxes)
      add(written, `${tax_rate} ${made.buyer.country} ${category}`, sign * net_minor, sign * tax_minor);
  }
  assert.deepEqual(await journalSums(db), written);
  // By buyer of each line, who may have moved since: the totals of the documents' lines, the exports and the list of
  // sales must agree.
  const sales = await documentSales(db);
  assert.deepEqual(await journalSales(db, YEAR), sales);
  assert.deepEqual(await listedSales(db, JANUARY.from), sales);
  t.diagnostic(`${Object.keys(sales).length} kinds of sales by rate, country, category and VAT id`);
  t.diagnostic(`${issued.length} documents, ${Object.keys(written).length} cases: ${casesOf(written)}`);
  const roundings = await db.query(sql`select id from journal where reason = 'rounding'`);
  assert.ok(roundings.length > 0, 'some documents differ from the sum of their sales');
  assert.deepEqual(await ledgerProblems(db), []);
});

const casesOf = (sums: Sums) =>
  [...new Set(Object.keys(sums).map((key) => key.split(' ').toSpliced(1, 1).join(' ')))].sort().join(', ');

function add(sums: Sums, key: string, net: bigint, tax: bigint): void {
  const before = sums[key] ?? { net: 0n, tax: 0n };
  sums[key] = { net: before.net + net, tax: before.tax + tax };
}

/**
 * The journal's sums for documents by rate, country and category: the entries of their orders, whose lines have one
 * category per rate and order, and the rounding differences booked at issue.
 */
async function journalSums(db: Database): Promise<Sums> {
  const rows = await db.query<{ key: string; net: bigint; tax: bigint }>(sql`
    select rate || ' ' || (invoices.buyer ->> 'country') || ' ' || coalesce(sold.category, 'standard') as key,
      coalesce(sum(amount) filter (where code not like 'tax:%'), 0)::bigint as net,
      coalesce(sum(amount) filter (where code like 'tax:%'), 0)::bigint as tax
    from journal
      cross join lateral (values (credit, amount_minor), (debit, -amount_minor)) as leg (code, amount)
      cross join lateral (select split_part(code, ':', 2) as rate) as at
      left join orders on orders.id = journal.order_id
      join invoices on invoices.id = coalesce(journal.invoice_id, orders.invoice_id)
      left join lateral (
        select tax_category as category from order_lines
        where order_id = orders.id and trim_scale(tax_rate)::text = rate limit 1
      ) sold on true
    where code ~ '^(deferred|revenue|refunds|tax):'
    group by 1`);
  return Object.fromEntries(rows.map(({ key, net, tax }) => [key, { net, tax }]));
}
