import type { DocumentLine } from '../domain/billing/invoice-document.ts';
import { microsToMinor, parseMicros } from '../domain/billing/money.ts';
import { day } from './amounts.ts';
import type { DocumentTexts } from './texts/texts.ts';

export const period = ({ from_at, to_at }: DocumentLine, texts: DocumentTexts): string =>
  `${texts.day(day(from_at))} – ${texts.day(day(to_at))}`;

/** Returns the quantity and unit of a line, such as "317 hours". */
export const quantityOf = ({ quantity, unit }: DocumentLine, texts: DocumentTexts): string =>
  `${texts.number(String(quantity))} ${texts.unit(unit, quantity)}`.trim();

/**
 * Returns a note on the unit price of a line whose amount is not quantity times price: a share of the unit, or hours
 * that are capped at the monthly price.
 */
export function priceNote(line: DocumentLine, currency: string, texts: DocumentTexts): string | undefined {
  if (line.proration) return texts.inPart;
  return isCapped(line, currency) ? texts.capped : undefined;
}

function isCapped(
  { unit, quantity, unit_price, net_minor, tax_minor }: DocumentLine,
  currency: string,
): boolean {
  if (unit !== 'hour') return false;
  const hours = microsToMinor(
    (parseMicros(String(quantity)) * parseMicros(unit_price)) / parseMicros('1'),
    currency,
  );
  // The line may also include the remainder of earlier rounding.
  return hours > net_minor + tax_minor + 1n;
}

/** Returns the quantity and price of a line in one phrase, such as "317 hours × 0.0060 EUR". */
export function priceOf(line: DocumentLine, currency: string, texts: DocumentTexts): string {
  const price = `${quantityOf(line, texts)} × ${texts.number(line.unit_price)} ${currency}`;
  const note = priceNote(line, currency, texts);
  return note === undefined ? price : `${price}, ${note}`;
}
