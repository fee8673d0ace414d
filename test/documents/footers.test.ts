import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { PLAIN_LOOK } from '../../server/documents/look.ts';
import { invoicePdf } from '../../server/documents/pdf.ts';
import { STANDARD, sample } from './support/samples.ts';

/** Returns the heights above the bottom of the page at which a PDF's texts begin, page by page. */
function heightsOf(pdf: Buffer): number[][] {
  const pages: number[][] = [];
  for (let at = 0; ; ) {
    const start = pdf.indexOf('stream\n', at);
    if (start < 0) return pages;
    const end = pdf.indexOf('\nendstream', start);
    at = end + '\nendstream'.length;
    let text: string;
    try {
      text = inflateSync(pdf.subarray(start + 'stream\n'.length, end)).toString('latin1');
    } catch {
      continue;
    }
    const heights = text.split('\n').flatMap((line) => {
      const [, , , , , y, operator] = line.split(' ');
      return operator === 'Tm' ? [Number(y)] : [];
    });
    if (heights.length > 0) pages.push(heights);
  }
}

test('a long footer stays on the page, and no row overlaps it', async () => {
  const footer = 'W'.repeat(600);
  const document = sample(Array.from({ length: 60 }, () => [399n, STANDARD]));
  const short = heightsOf(await invoicePdf(document, undefined, PLAIN_LOOK));
  const long = heightsOf(await invoicePdf({ ...document, footer }, undefined, PLAIN_LOOK));
  assert.ok(short.length >= 2);
  assert.ok(long.length > short.length, 'rows make way for it');
  for (const heights of [...short, ...long]) assert.ok(Math.min(...heights) > 0, `${Math.min(...heights)}`);
});
