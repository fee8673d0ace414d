import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { PLAIN_LOOK } from '../../server/documents/look.ts';
import { invoicePdf } from '../../server/documents/pdf.ts';
import type { InvoiceDocument } from '../../server/domain/billing/invoice-document.ts';
import { defer } from '../support/cleanup.ts';
import { BUYER, REVERSE_CHARGE, STANDARD, sample } from './support/samples.ts';

const run = promisify(execFile);
const skip = spawnSync('pdftotext', ['-v']).error ? 'pdftotext is not installed' : false;

/** Returns the text of a document as a PDF reader extracts it. */
async function textOf(t: TestContext, document: InvoiceDocument, layout = '-layout') {
  const directory = await mkdtemp(join(tmpdir(), 'vauban-document-'));
  defer(t, () => rm(directory, { recursive: true }));
  const file = join(directory, 'document.pdf');
  await writeFile(file, await invoicePdf(document, undefined, PLAIN_LOOK));
  return (await run('pdftotext', [layout, file, '-'])).stdout;
}

const pagesOf = async (t: TestContext, document: InvoiceDocument) =>
  (await textOf(t, document)).split('\f').slice(0, -1);

const lines = (count: number) =>
  sample(Array.from({ length: count }, (_, n): [bigint, typeof STANDARD] => [399n + BigInt(n), STANDARD]));

test('each page has the head of the table, its number and the footer', { skip }, async (t) => {
  const pages = await pagesOf(t, { ...lines(120), footer: 'Example GmbH\nHRB 12345' });
  assert.ok(pages.length > 2);
  for (const [index, page] of pages.entries()) {
    assert.match(page, /Service +Period +Quantity/);
    assert.ok(page.includes(`INV-000007 · Page ${index + 1} of ${pages.length}`), page);
    assert.match(page, /HRB 12345/);
  }
  const all = pages.join('\n');
  for (let n = 1; n <= 120; n++) assert.equal(all.split(`web-${n},`).length, 2, `web-${n}`);
});

test('a line says the VM, the quantity, the unit and its price', { skip }, async (t) => {
  const document = lines(2);
  Object.assign(document.lines[0]!, { quantity: 317, unit: 'hour', unit_price: '0.0060' });
  document.lines[1]!.vm = null;
  const [page] = await pagesOf(t, document);
  assert.match(page!, /Shared S1 +2026-01-05 – 2026-02-05 +317 hours +0\.0060 +19 % +3\.35/);
  assert.match(page!, /web-1, vm_01ke1y3m8q7n5k2x4z9b1c3d6g/);
  assert.doesNotMatch(page!, /web-2/);
});

test('a German document is German throughout', { skip }, async (t) => {
  const document: InvoiceDocument = {
    ...sample([
      [399n, STANDARD],
      [100n, REVERSE_CHARGE],
    ]),
    language: 'de',
    order_reference: 'PO-4711',
  };
  document.lines[0]!.description = 'Unused time on Shared S1';
  const [page] = await pagesOf(t, document);
  for (const said of [
    'Rechnung INV-000007',
    'Ihre Bestellnummer: PO-4711',
    'Nicht genutzte Zeit von Shared S1',
    '1 Monat',
    '05.01.2026',
    '4,99 EUR',
    'Steuerschuldnerschaft des Leistungsempfängers',
    'Seite 1 von 1',
  ])
    assert.ok(page!.includes(said), `${said} in\n${page}`);
  assert.doesNotMatch(page!, /Invoice|Service|Period|Total|month/);
});

test('Hebrew and Arabic stand in their order, a number in them in its own', { skip }, async (t) => {
  const buyer = { ...BUYER, name: 'شركة فهد', street: 'רחוב הרצל 5' };
  // The PDF reader adds marks of direction.
  const text = (await textOf(t, { ...lines(1), buyer }, '-raw')).normalize('NFKC').replace(/\p{Cf}/gu, '');
  // From left to right: the text that is read first is last.
  assert.ok(text.includes('فهد شركة'), text);
  assert.ok(text.includes('5 הרצל רחוב'), text);
});
