import assert from 'node:assert/strict';
import { test } from 'node:test';
import { priceNote, priceOf } from '../../server/documents/line-texts.ts';
import { textsOf } from '../../server/documents/texts/texts.ts';
import type { DocumentLine } from '../../server/domain/billing/invoice-document.ts';

const at = new Date('2026-01-01T00:00:00Z');

/** Returns a line of hours at 0.006, or of something else. */
const line = (quantity: number, gross: bigint, more: Partial<DocumentLine> = {}): DocumentLine => ({
  ...{ description: `Shared S1, ${quantity} hours`, vm: null, quantity, unit: 'hour', unit_price: '0.006' },
  ...{ proration: false, from_at: at, to_at: at, category: 'standard', tax_rate: '0.19' },
  ...{ net_minor: gross - 1n, tax_minor: 1n, ...more },
});

test('hours that cost no more than their month say why their amount is not that of the hours', () => {
  const [en, de] = [textsOf('en'), textsOf('de')];
  assert.equal(priceNote(line(744, 399n), 'EUR', en), 'capped at the monthly price');
  assert.equal(priceOf(line(744, 399n), 'EUR', de), '744 Stunden × 0,006 EUR, höchstens der Monatspreis');
  // 190.2 cents, with or without the half unit of an earlier rounding.
  for (const gross of [189n, 190n, 191n]) assert.equal(priceNote(line(317, gross), 'EUR', en), undefined);
  assert.equal(priceOf(line(317, 190n), 'EUR', en), '317 hours × 0.006 EUR');
  assert.equal(priceNote(line(1, 60n, { proration: true }), 'EUR', en), 'pro rata');
  assert.equal(priceNote(line(1, 399n, { unit: 'month', unit_price: '4.99' }), 'EUR', en), undefined);
  assert.equal(priceNote(line(744, 399n, { unit_price: '4' }), 'JPY', en), 'capped at the monthly price');
});

test('the kept part of a deposit is sold in the language of the document', () => {
  const { sold } = textsOf('de');
  assert.equal(sold('Use that was credited before'), 'Nutzung, die schon gutgeschrieben war');
  assert.equal(sold('Traffic used ahead of time'), 'Vorzeitig verbrauchter Datenverkehr');
});
