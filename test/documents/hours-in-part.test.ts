import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InvoiceLineRow, InvoiceView } from '../../server/db/queries/money/invoices.ts';
import { eInvoice } from '../../server/documents/e-invoice.ts';
import { priceOf } from '../../server/documents/line-texts.ts';
import { textsOf } from '../../server/documents/texts/texts.ts';
import { invoiceDocument } from '../../server/domain/billing/invoice-document.ts';
import { BUYER, SELLER } from './support/samples.ts';

const START = new Date('2026-01-01T00:00:00Z');

/** Returns a document with one line that sells time at 0.0105 per hour, to the second, as a change of a VM does. */
function documentOf(seconds: number, change: Partial<InvoiceLineRow> = {}) {
  const line: InvoiceLineRow = {
    ...{ order_id: 'ord', position: 1, vm_id: 'vm', hostname: 'web-1', sold_to: null },
    ...{ description: 'Used time on Shared S2', quantity: 1, unit: 'hour', unit_price: '0.0105' },
    ...{ amount_minor: 177n, tax_rate: '0.19', tax_minor: 28n, tax_category: 'standard', tax_reason: null },
    ...{ from_at: START, to_at: new Date(START.getTime() + seconds * 1_000), proration: true },
    ...change,
  };
  const invoice: InvoiceView = {
    ...{ id: 'inv', account_id: 'acc', type: 'invoice', number: 'INV-000001', status: 'paid' },
    ...{ period_start_at: START, period_end_at: new Date('2026-02-01T00:00:00Z'), currency: 'EUR' },
    ...{ issued_at: START, paid_at: START, seller: SELLER, buyer: BUYER, taxes: null, printed: null },
    ...{ total_minor: 177n, tax_minor: 28n, corrects: [] },
  };
  return invoiceDocument(invoice, [line]);
}

test('time that is sold to the second counts the hours that it has', async () => {
  const document = documentOf(168.5 * 3_600);
  const line = document.lines[0]!;
  assert.equal(priceOf(line, 'EUR', textsOf('en')), '168.5 hours × 0.0105 EUR');
  assert.equal(priceOf(line, 'EUR', textsOf('de')), '168,5 Stunden × 0,0105 EUR');
  const xml = await eInvoice(document);
  assert.match(xml, /<ram:BilledQuantity unitCode="HUR">168\.5<\/ram:BilledQuantity>/);
  assert.match(xml, /<ram:BasisQuantity[^>]*>168\.5<\/ram:BasisQuantity>/);
});

test('a second does not count as nothing, an hour counts as one, and other lines count as before', () => {
  const said = (seconds: number, change?: Partial<InvoiceLineRow>) =>
    priceOf(documentOf(seconds, change).lines[0]!, 'EUR', textsOf('en'));
  assert.equal(said(1), '0.0003 hours × 0.0105 EUR');
  assert.equal(said(0), '0.0001 hours × 0.0105 EUR');
  assert.equal(said(3_600), '1 hour × 0.0105 EUR');
  assert.equal(said(600, { proration: false, quantity: 1 }), '1 hour × 0.0105 EUR');
  assert.equal(said(86_400, { unit: 'month', unit_price: '3.99' }), '1 month × 3.99 EUR, pro rata');
});
