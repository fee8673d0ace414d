import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute, sql } from '../../server/db/database.ts';
import { putBillingProfile } from '../../server/db/queries/money/billing-profiles.ts';
import { eInvoice } from '../../server/documents/e-invoice.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { SELLER } from '../documents/support/samples.ts';
import { documentOf, profile, sell, setProfile, termsFor } from '../documents/support/seller.ts';
import { freshDatabase } from '../support/database.ts';
import { ledgerProblems } from '../support/invariants.ts';
import { issueInvoices } from '../support/issue.ts';
import { fundedAccount, storedVm } from './support.ts';

test('a line keeps the host name that its VM had at the sale', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-20T00:00:00Z');
  const accountId = await fundedAccount(db, clock, 100_00n);
  await setProfile(db, clock, accountId, profile());
  const vm = await storedVm(db, clock, accountId);
  const { invoice_id } = await sell(db, clock, vm, [399n], termsFor(profile()));
  await execute(db, sql`update vms set hostname = 'renamed' where id = ${vm.id}`);
  clock.advance(1_000);
  await sell(db, clock, vm, [699n], termsFor(profile()));
  await issueInvoices(db, new Date('2026-02-01T00:10:00Z'), 10, SELLER);

  const { document } = await documentOf(db, accountId, invoice_id!);
  const { lines } = document();
  assert.deepEqual(
    lines.map((line) => line.vm),
    [
      { id: vm.id, hostname: vm.hostname },
      { id: vm.id, hostname: 'renamed' },
    ],
  );
  assert.deepEqual(
    lines.map(({ quantity, unit, unit_price, proration }) => [quantity, unit, unit_price, proration]),
    [
      [1, 'month', '1.00', true],
      [1, 'month', '1.00', true],
    ],
  );
  const xml = await eInvoice(document());
  assert.ok(xml.includes(`<ram:Description>${vm.hostname}, ${vm.id}</ram:Description>`));
  assert.match(xml, /<ram:BilledQuantity unitCode="MON">1<\/ram:BilledQuantity>/);
  assert.match(xml, /1 month × 1\.00 EUR, pro rata/);
  assert.deepEqual(await ledgerProblems(db), []);
});

test('a line from before host names were noted prints as before', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-20T00:00:00Z');
  const accountId = await fundedAccount(db, clock, 100_00n);
  await setProfile(db, clock, accountId, profile());
  const vm = await storedVm(db, clock, accountId);
  await execute(db, sql`alter table order_lines disable trigger order_lines_hostname`);
  const { invoice_id } = await sell(db, clock, vm, [399n], termsFor(profile()));
  await issueInvoices(db, new Date('2026-02-01T00:10:00Z'), 10, SELLER);
  const { document } = await documentOf(db, accountId, invoice_id!);
  assert.equal(document().lines[0]!.vm, null);
  assert.doesNotMatch(await eInvoice(document()), /<ram:Description>/);
});

test('a document keeps the language, order number and footer of its issue', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-20T00:00:00Z');
  const accountId = await fundedAccount(db, clock, 100_00n);
  const wishes = { order_reference: 'PO-4711', language: 'de' as const, mail_to: [] };
  const row = { account_id: accountId, ...profile(), updated_at: clock.now() };
  await putBillingProfile(db, { ...row, ...wishes });
  const vm = await storedVm(db, clock, accountId);
  const { invoice_id } = await sell(db, clock, vm, [399n], termsFor(profile()));
  await issueInvoices(db, new Date('2026-02-01T00:10:00Z'), 10, SELLER, 'HRB 12345');
  await putBillingProfile(db, { ...row, ...wishes, order_reference: 'PO-2', language: 'en' });
  const { document } = await documentOf(db, accountId, invoice_id!);
  const { language, order_reference, footer } = document();
  assert.deepEqual([language, order_reference, footer], ['de', 'PO-4711', 'HRB 12345']);
  const xml = await eInvoice(document());
  assert.match(
    xml,
    /<ram:BuyerOrderReferencedDocument><ram:IssuerAssignedID>PO-4711<\/ram:IssuerAssignedID>/,
  );
  assert.match(xml, /1 Monat × 1,00 EUR, anteilig/);
});
