import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { listHeldDocuments } from '../../server/db/queries/money/held-documents.ts';
import { lookUpWallet } from '../../server/db/queries/money/wallets.ts';
import { obstacleTo } from '../../server/documents/obstacle.ts';
import type { DocumentCheck } from '../../server/domain/billing/invoice-document.ts';
import { issueDocuments } from '../../server/domain/billing/issue-documents.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { createLogger } from '../../server/platform/logging.ts';
import { fundedAccount, storedVm } from '../billing/support.ts';
import { freshDatabase } from '../support/database.ts';
import { ledgerProblems } from '../support/invariants.ts';
import { SELLER } from './support/samples.ts';
import { DUTCH, documentOf, profile, sell, setProfile, termsFor } from './support/seller.ts';

const FEBRUARY = new Date('2026-02-01T00:10:00Z');
const later = (minutes: number) => new Date(FEBRUARY.getTime() + minutes * 60_000);
const everything = { limit: 100, afterId: null };
const rules: DocumentCheck = { check: async (_, document) => obstacleTo(document) };

async function setUp(t: TestContext) {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-20T00:00:00Z');
  const said: string[] = [];
  const logger = createLogger({ logLevel: 'error' }, { write: (line: string) => void said.push(line) });
  const buyer = async () => {
    const accountId = await fundedAccount(db, clock, 100_000n);
    return { accountId, vm: await storedVm(db, clock, accountId) };
  };
  const issue = (at: Date, documents = rules) => issueDocuments({ db, logger, documents }, at, 100, SELLER);
  const numbers = async () => {
    const rows = await db.query<{ number: string }>(
      sql`select number from invoices where number is not null order by number`,
    );
    return rows.map(({ number }) => number);
  };
  return { db, clock, said, buyer, issue, numbers };
}

test('a document that breaks a rule is held without a number, and issued once its cause is corrected', async (t) => {
  const { db, clock, said, buyer, issue, numbers } = await setUp(t);
  const [broken, sound] = [await buyer(), await buyer()];
  // Sold by reverse charge to a buyer whose VAT id was not recorded, as by nodes of the last release.
  const { invoice_id } = await sell(db, clock, broken.vm, [399n], termsFor(DUTCH));
  await setProfile(db, clock, broken.accountId, { ...DUTCH, vat_id: null });
  await setProfile(db, clock, sound.accountId, profile());
  const good = await sell(db, clock, sound.vm, [399n], termsFor(profile()));

  await issue(FEBRUARY);
  assert.deepEqual(await numbers(), ['INV-000001'], 'the series has no gap');
  assert.equal((await documentOf(db, sound.accountId, good.invoice_id!)).invoice.number, 'INV-000001');
  assert.equal((await documentOf(db, broken.accountId, invoice_id!)).invoice.status, 'draft');
  assert.equal((await lookUpWallet(db, broken.accountId)).available_minor, 99_601n, 'the sale stands');
  const [held] = await listHeldDocuments(db, everything);
  assert.deepEqual([held!.invoice_id, held!.rules], [invoice_id, ['BR-AE-02']]);
  assert.equal(said.length, 1);
  assert.match(said[0]!, /document held/);

  await issue(later(5));
  await issue(later(10));
  assert.equal(said.length, 1, 'said once');
  assert.deepEqual((await listHeldDocuments(db, everything))[0]!.checked_at, later(10));
  await setProfile(db, clock, broken.accountId, DUTCH);
  await issue(later(15));
  assert.deepEqual(await numbers(), ['INV-000001'], 'not every round');
  await issue(later(20));
  assert.deepEqual(await numbers(), ['INV-000001', 'INV-000002']);
  assert.deepEqual(await listHeldDocuments(db, everything), []);
  assert.deepEqual(await ledgerProblems(db), []);
});

test('a credit note waits for an invoice that is held', async (t) => {
  const { db, clock, buyer, issue, numbers } = await setUp(t);
  const { accountId, vm } = await buyer();
  await sell(db, clock, vm, [399n], termsFor(DUTCH));
  await sell(db, clock, vm, [-100n], termsFor(DUTCH));
  await setProfile(db, clock, accountId, { ...DUTCH, vat_id: null });
  await issue(FEBRUARY);
  assert.deepEqual(await numbers(), []);
  await setProfile(db, clock, accountId, DUTCH);
  await issue(later(10));
  assert.deepEqual(await numbers(), ['CN-000001', 'INV-000001']);
  assert.deepEqual(await ledgerProblems(db), []);
});

test('a failing check holds only its document', async (t) => {
  const { db, clock, buyer, issue, numbers } = await setUp(t);
  for (let n = 0; n < 2; n++) {
    const { accountId, vm } = await buyer();
    await setProfile(db, clock, accountId, profile());
    await sell(db, clock, vm, [399n], termsFor(profile()));
  }
  let checks = 0;
  const check: DocumentCheck = {
    check(accountId, document) {
      if (checks++ === 0) throw new Error('out of memory');
      return rules.check(accountId, document);
    },
  };
  await issue(FEBRUARY, check);
  assert.deepEqual(await numbers(), ['INV-000001']);
  assert.match((await listHeldDocuments(db, everything))[0]!.reason, /could not be checked: out of memory/);
  await issue(later(10));
  assert.deepEqual(await numbers(), ['INV-000001', 'INV-000002']);
});

test('an order that joins a draft during its check is on the issued document', async (t) => {
  const { db, clock, buyer, issue, numbers } = await setUp(t);
  const { accountId, vm } = await buyer();
  await setProfile(db, clock, accountId, profile());
  const { invoice_id } = await sell(db, clock, vm, [399n], termsFor(profile()));
  let isFirst = true;
  const check: DocumentCheck = {
    async check(account, document) {
      if (isFirst) await sell(db, clock, vm, [399n], termsFor(profile()));
      isFirst = false;
      return rules.check(account, document);
    },
  };
  await issue(FEBRUARY, check);
  assert.deepEqual(await numbers(), [], 'it was checked without the sale that joined it');
  await issue(FEBRUARY, check);
  const { invoice } = await documentOf(db, accountId, invoice_id!);
  assert.deepEqual([invoice.number, invoice.total_minor], ['INV-000001', 798n]);
  assert.deepEqual(await ledgerProblems(db), []);
});

test('a document keeps the VAT id with which it was taxed, also if the account changes', async (t) => {
  const { db, clock, buyer, issue } = await setUp(t);
  const { accountId, vm } = await buyer();
  await setProfile(db, clock, accountId, DUTCH);
  const sale = await sell(db, clock, vm, [399n], termsFor(DUTCH));
  await setProfile(db, clock, accountId, profile({ name: 'Moved away', country: 'US' }));
  await issue(FEBRUARY);
  const { invoice } = await documentOf(db, accountId, sale.invoice_id!);
  assert.deepEqual([invoice.buyer!.name, invoice.buyer!.vat_id], [DUTCH.name, DUTCH.vat_id]);
  // The credit note names the same buyer, although the recipient of the refund has no VAT id.
  clock.set(later(20));
  const given = await sell(db, clock, vm, [-100n], termsFor(DUTCH));
  await issue(new Date('2026-03-01T00:10:00Z'));
  const note = await documentOf(db, accountId, given.invoice_id!);
  assert.deepEqual([note.invoice.number, note.invoice.buyer!.vat_id], ['CN-000001', DUTCH.vat_id]);
  // A correction of only the address is adopted.
  await setProfile(db, clock, accountId, { ...DUTCH, street: 'Damrak 2' });
  clock.set(new Date('2026-03-02T00:00:00Z'));
  const next = await sell(db, clock, vm, [399n], termsFor(DUTCH));
  await setProfile(db, clock, accountId, { ...DUTCH, street: 'Damrak 3' });
  await issue(new Date('2026-04-01T00:10:00Z'));
  assert.equal((await documentOf(db, accountId, next.invoice_id!)).invoice.buyer!.street, 'Damrak 3');
  assert.deepEqual(await ledgerProblems(db), []);
});
