import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { sql } from '../../server/db/database.ts';
import { obstacleTo } from '../../server/documents/obstacle.ts';
import { allotBases, taxesOnBase } from '../../server/domain/billing/document-figures.ts';
import { sum } from '../../server/domain/billing/money.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { fundedAccount, storedVm } from '../billing/support.ts';
import { freshDatabase } from '../support/database.ts';
import { depth } from '../support/depth.ts';
import { ledgerProblems } from '../support/invariants.ts';
import { issueInvoices } from '../support/issue.ts';
import { SELLER } from './support/samples.ts';
import { documentOf, profile, sell, setProfile, termsFor } from './support/seller.ts';

const FEBRUARY = new Date('2026-02-01T00:10:00Z');
const BUYER = profile();
const TERMS = termsFor(BUYER);

async function setUp(t: TestContext) {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-20T00:00:00Z');
  const accountId = await fundedAccount(db, clock, 10_000_000n);
  await setProfile(db, clock, accountId, BUYER);
  const vm = await storedVm(db, clock, accountId);
  const issue = (at = FEBRUARY) => issueInvoices(db, at, 10, SELLER);
  const roundings = () =>
    db.query<{ debit: string; credit: string; amount_minor: bigint; invoice_id: string }>(
      sql`select debit, credit, amount_minor, invoice_id from journal where reason = 'rounding' order by id`,
    );
  return { db, clock, accountId, vm, issue, roundings };
}

test('172 lines of 9.99 have the tax of their base, also in the journal', async (t) => {
  const { db, clock, accountId, vm, issue, roundings } = await setUp(t);
  const { invoice_id } = await sell(db, clock, vm, Array(172).fill(999n), TERMS);
  const draft = await documentOf(db, accountId, invoice_id!);
  await issue();
  const { invoice, figures, document } = await documentOf(db, accountId, invoice_id!);
  // 1718.28 contains 274.35 at 19 %; 172 times 1.60 would be 275.20.
  assert.deepEqual([invoice.total_minor, invoice.tax_minor], [171_828n, 27_435n]);
  assert.deepEqual(draft.figures, figures, 'the draft showed what was issued');
  assert.deepEqual(
    [draft.invoice.total_minor, draft.invoice.tax_minor],
    [invoice.total_minor, invoice.tax_minor],
  );
  assert.equal(obstacleTo(document()), undefined);
  assert.deepEqual(new Set(figures.lines.map(({ net_minor }) => net_minor)), new Set([839n, 840n]));
  assert.equal(sum(figures.lines.map(({ net_minor }) => net_minor)), 171_828n - 27_435n);
  assert.deepEqual(await roundings(), [
    { debit: 'tax:0.19', credit: 'revenue:0.19', amount_minor: 85n, invoice_id },
  ]);
  assert.deepEqual(await ledgerProblems(db), []);
});

test('a credit note has the tax of its refunds, at the rate of the sale', async (t) => {
  const { db, clock, accountId, vm, issue, roundings } = await setUp(t);
  await sell(db, clock, vm, Array(120).fill(999n), TERMS);
  const given = await sell(db, clock, vm, Array(119).fill(-998n), TERMS);
  await issue();
  const { invoice, document } = await documentOf(db, accountId, given.invoice_id!);
  // -1187.62 contains -189.62; 119 times -1.59 would be -189.21.
  assert.deepEqual(
    [invoice.type, invoice.total_minor, invoice.tax_minor],
    ['credit_note', -118_762n, -18_962n],
  );
  assert.equal(obstacleTo(document()), undefined);
  assert.equal(document().tax_minor, 18_962n);
  const [, ofNote] = await roundings();
  assert.deepEqual([ofNote!.debit, ofNote!.credit, ofNote!.amount_minor], ['tax:0.19', 'revenue:0.19', 41n]);
  assert.deepEqual(await ledgerProblems(db), []);
});

test('documents issued before keep their figures', async (t) => {
  const { db, clock, accountId, vm, roundings } = await setUp(t);
  const { invoice_id } = await sell(db, clock, vm, Array(172).fill(999n), TERMS);
  // As a node of the last release issues it.
  await db.script(`
    update invoices set status = 'paid', issued_at = '2026-02-01', paid_at = '2026-02-01', sequence = 1,
      number = 'INV-000001', total_minor = 171828, tax_minor = 27520,
      seller = '${JSON.stringify(SELLER)}', buyer = '${JSON.stringify(SELLER)}' where id = '${invoice_id}';
    update number_series set last = 1, last_issued_at = '2026-02-01' where type = 'invoice'`);
  const { invoice, figures, document } = await documentOf(db, accountId, invoice_id!);
  assert.equal(invoice.tax_minor, 27_520n);
  assert.deepEqual(new Set(figures.lines.map(({ tax_minor }) => tax_minor)), new Set([160n]));
  assert.deepEqual(
    figures.taxes.map(({ tax_minor }) => tax_minor),
    [27_520n],
  );
  assert.deepEqual(obstacleTo(document())?.rules, ['BR-CO-17', 'BR-S-09'], 'its e-invoice stays withheld');
  assert.deepEqual(await roundings(), []);
  assert.deepEqual(await ledgerProblems(db), []);
});

test('the audit finds documents whose tax is not that of their base, or not in the journal', async (t) => {
  const { db, clock, vm, issue } = await setUp(t);
  const { invoice_id } = await sell(db, clock, vm, Array(172).fill(999n), TERMS);
  await issue();
  const tamper = async (statement: string) => {
    await db.script(
      `alter table invoices disable trigger user; alter table journal disable trigger user; ${statement}`,
    );
    return (await ledgerProblems(db)).map((problem) => problem.split(':')[0]);
  };
  const changed = await tamper(`
    update invoices set tax_minor = tax_minor + 1, taxes = jsonb_set(jsonb_set(taxes, '{0,tax_minor}', '27436'), '{0,net_minor}', '144392')
    where id = '${invoice_id}'`);
  assert.ok(
    changed.includes('the tax of a document is computed on its base, by category and rate'),
    `${changed}`,
  );
  const booked = await tamper(`update journal set amount_minor = 83 where reason = 'rounding'`);
  assert.ok(booked.includes('the journal has the tax of each document, by category and rate'), `${booked}`);
});

test('any lines add up to the base, and none is off by more than a unit', () => {
  const rate = fc.constantFrom('0', '0.055', '0.08875', '0.19', '0.2', '0.27', '0.999999');
  const line = fc.record({
    category: fc.constantFrom('standard' as const),
    tax_rate: rate,
    reason: fc.constant(null),
    amount_minor: fc.oneof(fc.bigInt(-50n, 50n), fc.bigInt(-100_000n, 10n ** 11n)),
  });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 200 }), (lines) => {
      const taxes = taxesOnBase(lines);
      const figured = allotBases(lines, taxes);
      for (const { tax_rate, net_minor, tax_minor } of taxes) {
        const own = figured.filter((each) => each.tax_rate === tax_rate);
        assert.equal(sum(own.map((each) => each.net_minor)), net_minor);
        assert.equal(sum(own.map((each) => each.tax_minor)), tax_minor);
        const share = BigInt(Math.round(Number(tax_rate) * 1e6));
        for (const each of own) {
          const off = each.net_minor * (1_000_000n + share) - each.amount_minor * 1_000_000n;
          assert.ok(off > -1_000_000n - share && off < 1_000_000n + share);
          assert.ok(each.net_minor * each.amount_minor >= 0n && each.tax_minor * each.amount_minor >= 0n);
        }
      }
    }),
    { numRuns: depth(300, 20_000) },
  );
});
