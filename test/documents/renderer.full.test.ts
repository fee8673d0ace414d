import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { extractXml } from '@stackforge-eu/factur-x';
import { invoicePdf } from '../../server/documents/pdf.ts';
import { DocumentRenderer } from '../../server/documents/renderer.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { ApiError } from '../../server/platform/errors.ts';
import { createLogger } from '../../server/platform/logging.ts';
import { defer } from '../support/cleanup.ts';
import { BUYER, STANDARD, sample } from './support/samples.ts';

const invoice = sample([[399n, STANDARD]]);
const logger = createLogger({ logLevel: 'silent' });

const isRefusal = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

test('the queue is bounded, in total and per account, and the rest is made', async (t) => {
  const renderer = new DocumentRenderer({
    clock: new ManualClock(),
    logger,
    maxWaiting: 3,
    maxWaitingOfOne: 2,
  });
  defer(t, () => renderer.close());
  // The first is taken from the queue at once and no longer waits.
  const accepted = [renderer.render('a', invoice, 'xml')];
  await Promise.resolve();
  accepted.push(renderer.render('a', invoice, 'xml'), renderer.render('a', invoice, 'pdf'));
  assert.throws(() => renderer.render('a', invoice, 'xml'), isRefusal('service_unavailable'));
  accepted.push(renderer.render('b', invoice, 'xml'));
  assert.throws(() => renderer.render('c', invoice, 'xml'), isRefusal('service_unavailable'));
  const [first, second, pdf, other] = await Promise.all(accepted);
  assert.ok(first!.equals(second!) && first!.equals(other!));
  assert.match(pdf!.subarray(0, 8).toString('latin1'), /^%PDF-1\.7/);
  assert.ok((await renderer.render('a', invoice, 'pdf')).equals(pdf!), 'another thread, the same bytes');
});

test('a document that takes too long ends with its thread, and the next is made by another', async (t) => {
  const clock = new ManualClock();
  const renderer = new DocumentRenderer({ clock, logger, limitMs: 1000 });
  defer(t, () => renderer.close());
  const long = renderer.render('a', sample(Array.from({ length: 5000 }, () => [399n, STANDARD])), 'pdf');
  const next = renderer.render('a', invoice, 'xml');
  // The limit counts from when the document's work begins.
  while (clock.sleeping === 0) await turn();
  clock.advance(1000);
  await assert.rejects(long, isRefusal('service_unavailable'));
  assert.match((await next).toString(), /INV-000007/);
});

test('an invoice too long for a document is refused before any work, and closing gives up what waits', async () => {
  const renderer = new DocumentRenderer({ clock: new ManualClock(), logger });
  const lines = Array.from({ length: 20_001 }, (): [bigint, typeof STANDARD] => [1n, STANDARD]);
  assert.throws(() => renderer.render('a', sample(lines), 'pdf'), isRefusal('document_unavailable'));
  const nameless = sample([[1n, STANDARD]], { buyer: { ...BUYER, country: null } });
  assert.throws(() => renderer.render('a', nameless, 'xml'), isRefusal('document_unavailable'));
  const given = [renderer.render('a', invoice, 'pdf'), renderer.render('a', invoice, 'pdf')];
  const refused = Promise.allSettled(given);
  await renderer.close();
  for (const { status } of await refused) assert.equal(status, 'rejected');
});

test('a PDF embeds its fonts and the XML, declares PDF/A-3b, and takes every instant from the invoice', async () => {
  const xml = '<invoice>Żółć</invoice>';
  const pdf = await invoicePdf(invoice, xml);
  const text = pdf.toString('latin1');
  assert.equal((await extractXml(pdf)).xml, xml);
  assert.match(text, /<pdfaid:part>3<\/pdfaid:part>\s*<pdfaid:conformance>B</);
  assert.match(text, /<fx:ConformanceLevel>EN 16931</);
  assert.match(text, /\/AFRelationship \/Alternative/);
  assert.match(text, /\/FontFile2/);
  const dates = [...text.matchAll(/D:(\d{14})Z/g)].map(([, date]) => date);
  assert.ok(dates.length > 0);
  assert.deepEqual(new Set(dates), new Set(['20260201001000']));
  assert.ok((await invoicePdf(invoice, xml)).equals(pdf));
});
