import type { InvoiceView } from '../../db/queries/invoices.ts';
import { containedTax } from './money.ts';

/** Characters of the account id in an invoice's number, and digits of its running number. */
const ACCOUNT_CHARACTERS = 6;
const NUMBER_DIGITS = 4;

/** The number as people quote it: the account's own series, without gaps. */
export function invoiceNumber(invoice: Pick<InvoiceView, 'account_id' | 'number'>): string {
  const series = invoice.account_id.slice(-ACCOUNT_CHARACTERS).toUpperCase();
  return `${series}-${invoice.number.toString().padStart(NUMBER_DIGITS, '0')}`;
}

export interface InvoiceAmounts {
  subtotal_minor: bigint;
  tax_minor: bigint;
  total_minor: bigint;
}

/** The total and the tax that it contains, at the rate that the invoice was opened with. */
export function invoiceAmounts({
  total_minor,
  tax_rate,
}: Pick<InvoiceView, 'total_minor' | 'tax_rate'>): InvoiceAmounts {
  const tax_minor = containedTax(total_minor, tax_rate);
  return { subtotal_minor: total_minor - tax_minor, tax_minor, total_minor };
}
