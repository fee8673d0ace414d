import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { eInvoice } from '../../server/documents/e-invoice.ts';
import { priceOf } from '../../server/documents/line-texts.ts';
import { obstacleTo } from '../../server/documents/obstacle.ts';
import { textsOf } from '../../server/documents/texts/texts.ts';
import { exportBookings } from '../../server/domain/billing/bookings/export.ts';
import type { InvoiceDocument } from '../../server/domain/billing/invoice-document.ts';
import { addOnShop } from '../billing/add-on-shop.ts';
import { issueInvoices } from '../support/issue.ts';
import { SELLER } from './support/samples.ts';
import { DUTCH, documentOf, profile, setProfile } from './support/seller.ts';

/** Buys a VM and two addresses on 1 January, gives one of them up at half of the period, and issues the documents. */
async function january(t: TestContext, language: 'en' | 'de') {
  const shop = await addOnShop(t);
  const { db, clock, customer, buy, set } = shop;
  await setProfile(db, clock, customer.accountId, profile());
  await db.query(sql`update billing_profiles set language = ${language}`);
  const { id } = await buy();
  await set(id, 'ipv4', 2);
  clock.set(new Date('2026-01-16T12:00:00Z'));
  await set(id, 'ipv4', 1);
  await issueInvoices(db, new Date('2026-02-01T00:10:00Z'), 10, SELLER);
  const issued = await db.query<{ id: string; type: string }>(
    sql`select id, type from invoices where status = 'paid' order by issued_at, type desc`,
  );
  const documents = await Promise.all(issued.map((one) => documentOf(db, customer.accountId, one.id)));
  // Orders of the same instant are listed in any order: here the VM comes first.
  const lines = ({ lines: all }: InvoiceDocument) => all.toSorted((a, b) => b.unit.localeCompare(a.unit));
  const made = documents.map(({ document }) => document());
  return { ...shop, id, documents: made.map((one) => ({ ...one, lines: lines(one) })) };
}

test('an invoice lists units of an add-on with their price, their period and the VM', async (t) => {
  const { id, documents, wallet } = await january(t, 'en');
  const [invoice, note] = documents;
  assert.deepEqual(
    invoice!.lines.map(({ description, vm, quantity, unit, unit_price, proration }) => [
      ...[description, vm, quantity, unit, unit_price, proration],
    ]),
    [
      ['Shared S1', { id, hostname: 'web' }, 1, 'month', '3.99', false],
      ['2 × Extra IPv4 address', { id, hostname: 'web' }, 2, 'add_on', '2.50', false],
    ],
  );
  assert.deepEqual([invoice!.total_minor, invoice!.tax_minor], [899n, 144n]);
  // One of two units is given up at half of the period.
  assert.deepEqual(
    note!.lines.map(({ description, net_minor, tax_minor }) => [description, net_minor + tax_minor]),
    [
      ['Unused time on 2 × Extra IPv4 address', 250n],
      ['Remaining time on Extra IPv4 address', -125n],
    ],
  );
  assert.deepEqual([note!.type, note!.corrects], ['credit_note', [invoice!.number]]);
  const texts = textsOf('en');
  assert.equal(priceOf(invoice!.lines[1]!, 'EUR', texts), '2 × 2.50 EUR');
  assert.equal(priceOf(note!.lines[0]!, 'EUR', texts), '2 × 2.50 EUR, pro rata');
  for (const document of documents) {
    assert.equal(obstacleTo(document), undefined);
    await eInvoice(document);
  }
  const xml = await eInvoice(invoice!);
  assert.match(xml, /<ram:Name>2 × Extra IPv4 address<\/ram:Name>/);
  assert.match(xml, /<ram:BilledQuantity unitCode="C62">2<\/ram:BilledQuantity>/);
  assert.match(xml, /2026-01-01 – 2026-02-01; 2 × 2\.50 EUR/);
  await wallet();
});

test('a German document says the same in German', async (t) => {
  const { documents } = await january(t, 'de');
  const texts = textsOf('de');
  assert.deepEqual(
    documents.flatMap(({ language, lines }) =>
      lines.map(({ description }) => [language, texts.sold(description)]),
    ),
    [
      ['de', 'Shared S1'],
      ['de', '2 × Extra IPv4 address'],
      ['de', 'Nicht genutzte Zeit von 2 × Extra IPv4 address'],
      ['de', 'Restliche Zeit von Extra IPv4 address'],
    ],
  );
  assert.equal(priceOf(documents[0]!.lines[1]!, 'EUR', texts), '2 × 2,50 EUR');
});

test('a credit note of an add-on corrects the invoices on which it was charged, not those of its VM', async (t) => {
  const { db, clock, buy, set } = await addOnShop(t, { start: '2026-01-20T00:00:00Z' });
  const { id } = await buy();
  clock.set(new Date('2026-02-03T00:00:00Z'));
  await set(id, 'ipv4', 2);
  clock.set(new Date('2026-02-04T00:00:00Z'));
  await set(id, 'ipv4', 0);
  const corrected = await db.query(sql`
    select to_char(sold.period_start_at at time zone 'UTC', 'YYYY-MM') as month
    from invoice_corrections join invoices sold on sold.id = invoice_id`);
  assert.deepEqual(corrected, [{ month: '2026-02' }]);
});

test('a refund has the buyer of the add-on, who may be another than that of the VM', async (t) => {
  const { db, clock, services, customer, buy, set, remove, wallet } = await addOnShop(t);
  services.catalog.seller = {
    ...{ name: 'Hoster', street: 'Street 1', city: 'Cologne', postcode: '50667', country: 'DE' },
    vat_id: 'DE136695976',
  };
  const other = { ...DUTCH, country: 'FR', vat_id: 'FR40303265045' };
  await setProfile(db, clock, customer.accountId, DUTCH);
  const { id, path } = await buy();
  await setProfile(db, clock, customer.accountId, other);
  await set(id, 'ipv4', 2);
  await setProfile(db, clock, customer.accountId, DUTCH);
  await set(id, 'backup', 1);
  clock.set(new Date('2026-01-16T12:00:00Z'));
  await remove(path);
  const given = await db.query(sql`
    select add_on, sold_to ->> 'country' as country from order_lines join orders on orders.id = order_id
    where kind = 'delete_refund' order by position`);
  assert.deepEqual(given, [
    { add_on: null, country: 'NL' },
    { add_on: 'backup', country: 'NL' },
    { add_on: 'ipv4', country: 'FR' },
  ]);
  await wallet();
});

test('exports for bookkeeping have add-ons like any other sale', async (t) => {
  const { services, renewAt } = await january(t, 'en');
  await renewAt('2026-02-01T00:00:00Z');
  const chunks: Buffer[] = [];
  for await (const chunk of await exportBookings(services, { month: '2026-01', format: 'csv' }))
    chunks.push(chunk);
  const [head, ...rows] = Buffer.concat(chunks).toString().trim().split(/\r?\n/);
  assert.ok(head!.includes('debit'), head);
  // 5.00 with 0.80 of tax was sold, and 2.50 of it was refunded as 1.25.
  for (const amount of ['4.20', '0.80', '2.10', '0.40', '1.05', '0.20'])
    assert.ok(
      rows.some((row) => row.split(/[;,]/).some((cell) => cell.replaceAll('"', '') === amount)),
      `${amount} in\n${rows.join('\n')}`,
    );
});
