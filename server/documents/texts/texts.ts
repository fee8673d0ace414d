import type { DocumentLanguage, InvoiceDocument } from '../../domain/billing/invoice-document.ts';
import { de } from './de.ts';
import { en } from './en.ts';

type OfType = InvoiceDocument['type'];

/** Everything that a document says in words, in one language. Nothing asks the runtime: the same document makes the same bytes. */
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
  /** Of so many; empty for a line that counts nothing. */
  unit(unit: string, quantity: number): string;
  /** Beside the price of a unit of which a line is a share. */
  inPart: string;
  /** Beside the price of an hour, on a line of hours that cost more than their month would. */
  capped: string;
  net: string;
  taxOn(net: string): string;
  total: Record<OfType, string>;
  settled: Record<OfType, (day: string) => string>;
  /** The name of a country, by its code. */
  country(code: string): string;
  /** A day such as "2026-01-31". */
  day(iso: string): string;
  /** A decimal such as "3.99". */
  number(decimal: string): string;
  /** What was sold: lines keep it in English. */
  sold(description: string): string;
  /** Why there is no tax. */
  reason(reason: string): string;
}

const TEXTS: Record<DocumentLanguage, DocumentTexts> = { en, de };

export const textsOf = (language: DocumentLanguage): DocumentTexts => TEXTS[language];
