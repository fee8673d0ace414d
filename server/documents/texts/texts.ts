import type { DocumentLanguage, InvoiceDocument } from '../../domain/billing/invoice-document.ts';
import { de } from './de.ts';
import { en } from './en.ts';

type OfType = InvoiceDocument['type'];

/**
 * Every text in a document, in one language. Nothing comes from the runtime, because the same document must always make
 * the same bytes.
 */
export interface DocumentTexts {
  title: Record<OfType, string>;
  vatId(id: string): string;
  taxNumber(number: string): string;
  registered(id: string): string;
  issued(day: string, from: string, to: string): string;
  orderReference(reference: string): string;
  corrects(numbers: string): string;
  page(page: number, pages: number): string;
  head: {
    service: string;
    period: string;
    quantity: string;
    unitPrice: string;
    tax: string;
    net(currency: string): string;
  };
  /** Name of a unit for this quantity; empty if the description names what is counted. */
  unit(unit: string, quantity: number): string;
  /** Shown with the unit price if a line is for a share of the unit. */
  inPart: string;
  /** Shown with the hourly price on a line whose hours would cost more than the month. */
  capped: string;
  net: string;
  taxOn(net: string): string;
  total: Record<OfType, string>;
  settled: Record<OfType, (day: string) => string>;
  country(code: string): string;
  /** Formats a day such as "2026-01-31". */
  day(iso: string): string;
  /** Formats a decimal such as "3.99". */
  number(decimal: string): string;
  /** Translates the description of a line, which is stored in English. */
  sold(description: string): string;
  /** Translates the reason for charging no tax. */
  reason(reason: string): string;
}

const TEXTS: Record<DocumentLanguage, DocumentTexts> = { en, de };

export const textsOf = (language: DocumentLanguage): DocumentTexts => TEXTS[language];
