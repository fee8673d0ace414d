import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extractXml } from '@stackforge-eu/factur-x';
import { DocumentRenderer } from '../../server/documents/renderer.ts';
import { issueDocuments } from '../../server/domain/billing/issue-documents.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { createLogger } from '../../server/platform/logging.ts';
import { fundedAccount, storedVm } from '../billing/support.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';
import { ledgerProblems } from '../support/invariants.ts';
import { SELLER } from './support/samples.ts';
import { documentOf, profile, sell, setProfile, termsFor } from './support/seller.ts';

const ORDERS = 20;
const LINES_OF_ONE = 500;

test('a month of 10,000 lines is issued, and has its PDF and its XML, while the service keeps running', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-20T00:00:00Z');
  const logger = createLogger({ logLevel: 'silent' });
  const documents = new DocumentRenderer({ clock, logger });
  defer(t, () => documents.close());
  const accountId = await fundedAccount(db, clock, 100_000_000n);
  await setProfile(db, clock, accountId, profile());
  const vm = await storedVm(db, clock, accountId);
  const amounts = Array.from({ length: LINES_OF_ONE }, (_, index) => 100n + BigInt((index * 37) % 2000));
  let invoiceId = '';
  for (let n = 0; n < ORDERS; n++)
    invoiceId = (await sell(db, clock, vm, amounts, termsFor(profile()))).invoice_id!;

  // The lines are checked in a worker thread: this counts the turns of the main thread's event loop in the meantime.
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  defer(t, () => clearInterval(counting));
  await issueDocuments({ db, logger, documents }, new Date('2026-02-01T00:10:00Z'), 10, SELLER);
  const { invoice, document } = await documentOf(db, accountId, invoiceId);
  assert.equal(invoice.number, 'INV-000001');
  const heavy = document();
  assert.equal(heavy.lines.length, ORDERS * LINES_OF_ONE);
  const before = turns;
  assert.equal(await documents.check(accountId, heavy), undefined);
  const xml = (await documents.render(accountId, heavy, 'xml')).toString();
  const pdf = await documents.render(accountId, heavy, 'pdf');
  assert.ok(turns > before + 10, `${turns - before} turns`);
  assert.equal(xml.match(/<ram:IncludedSupplyChainTradeLineItem>/g)!.length, ORDERS * LINES_OF_ONE);
  assert.equal((await extractXml(pdf)).xml, xml);
  assert.match(pdf.subarray(0, 8).toString('latin1'), /^%PDF-1\.7/);
  assert.deepEqual(await ledgerProblems(db), []);
});
