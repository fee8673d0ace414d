import type { DocumentLine } from '../domain/billing/invoice-document.ts';
import { day } from './amounts.ts';
import type { DocumentTexts } from './texts/texts.ts';

/** Returns the service period of a line. */
export const period = ({ from_at, to_at }: DocumentLine, texts: DocumentTexts): string =>
  `${texts.day(day(from_at))} – ${texts.day(day(to_at))}`;

/** Returns what a line counts, such as "317 hours". */
export const quantityOf = ({ quantity, unit }: DocumentLine, texts: DocumentTexts): string =>
  `${quantity} ${texts.unit(unit, quantity)}`.trim();

/** Returns the quantity and price of a line in one phrase, such as "317 hours × 0.0060 EUR". */
export function priceOf(line: DocumentLine, currency: string, texts: DocumentTexts): string {
  const price = `${quantityOf(line, texts)} × ${texts.number(line.unit_price)} ${currency}`;
  return line.proration ? `${price}, ${texts.inPart}` : price;
}
