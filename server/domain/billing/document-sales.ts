import type { InvoiceLineRow, PartyRow } from '../../db/queries/money/invoices.ts';
import type { Rounding } from '../../db/queries/money/issue-invoices.ts';
import type { Figured } from './document-figures.ts';
import { plainRate, sum, toJsonInteger } from './money.ts';

/**
 * Returns by how much the tax of a document differs from the tax booked with its sales, for each rate, category and
 * buyer. `figured` are its lines with their tax on the document. Lines from before buyers were recorded count as sold
 * to the document's buyer.
 */
export function roundingsOf(
  lines: readonly InvoiceLineRow[],
  figured: readonly Figured<InvoiceLineRow>[],
  buyer: PartyRow,
): Rounding[] {
  const parts = lines.map(({ sold_to, tax_category, tax_rate, tax_minor }, index) => {
    const { country = null, vat_id = null } = sold_to ?? buyer;
    const due = figured[index]!.tax_minor - tax_minor;
    return { tax_rate: plainRate(tax_rate), tax_category, country, vat_id, due };
  });
  const alike = Map.groupBy(parts, ({ due: _, ...sale }) => JSON.stringify(sale));
  return [...alike.values()].map((group) => {
    const { due: _, ...sale } = group[0]!;
    return { ...sale, due_minor: toJsonInteger(sum(group.map(({ due }) => due))) };
  });
}
