import { type Document, isDeposit, type Line, type Order, sum } from './account.ts';
import type { Expected } from './differences.ts';
import { documentTax, expectedUnits, flooredTax, groupsOf, groupTax } from './document-tax.ts';
import type { Catalog } from './tariff.ts';
import type { Buyer, Seller } from './tax.ts';

/** Invoices and credit notes as the API should show them. */

const date = (at: number) => new Date(at);
/** The name of every account here. */
const NAME = 'Test';

/** The seller or buyer as an issued document names them. */
function party({ name, ...known }: { name: string } & Partial<Omit<Buyer | Seller, 'name'>>): Expected {
  const { street = null, city = null, postcode = null, country = null, vat_id = null } = known;
  const of = { name, street, city, postcode, country, vat_id };
  return { ...of, tax_number: null, registration_id: null, email: null };
}

const linesOf = ({ orders }: Document) =>
  orders.flatMap((order) => order.lines.filter((line) => !isDeposit(line)).map((line) => ({ order, line })));

export function document(document: Document, list: Catalog): Record<string, Expected> {
  const lines = linesOf(document).map(({ line }) => line);
  const [total, tax] = [sum(lines.map(({ amount }) => amount)), documentTax(lines)];
  const issued = document.issuedAt === null ? null : date(document.issuedAt);
  return {
    ...{ id: document.id, type: document.type, status: issued ? 'paid' : 'draft', number: document.number },
    ...{ period_start_at: date(document.month.from), period_end_at: date(document.month.to) },
    ...{ subtotal_minor: total - tax, tax_minor: tax, total_minor: total, currency: list.currency },
    ...{ issued_at: issued, paid_at: issued },
    seller: issued && party(list.seller!),
    buyer: issued && party(document.buyer ?? { name: NAME }),
    corrects: [...document.corrects]
      .sort((a, b) => (a.id! < b.id! ? -1 : 1))
      .map(({ id, number }) => ({ invoice_id: id, number })),
  };
}

/** A document with taxes and lines; lines of the same instant in any order. */
export function documentWithLines(of: Document, list: Catalog): Expected {
  const lines = linesOf(of);
  const sold = lines.map(({ line }) => line);
  const taxes = groupsOf(sold)
    .map((group) => ({ taxed: group[0]!.taxed, group }))
    .sort(
      (a, b) => Number(a.taxed.rate) - Number(b.taxed.rate) || (a.taxed.category < b.taxed.category ? -1 : 1),
    );
  return {
    ...document(of, list),
    taxes: taxes.map(({ taxed: { rate, category, reason }, group }) => {
      const tax = groupTax(group);
      const net = sum(group.map(({ amount }) => amount)) - tax;
      const how = { tax_rate: rate, tax_category: category, tax_reason: reason };
      return { ...how, subtotal_minor: net, tax_minor: tax };
    }),
    ...expectedUnits(sold),
    lines: lines
      .map(({ order, line }) => presentLine(order, line))
      .sort((a, b) => (lineKey(a) < lineKey(b) ? -1 : 1)),
  };
}

function presentLine({ vm }: Order, line: Line) {
  const { description, quantity, unit, unit_price, price_hourly, amount, taxed, span, proration } = line;
  const tax = flooredTax(amount, taxed.rate);
  return {
    ...{ description, vm_id: vm?.id ?? null, quantity, unit, unit_price, price_hourly, amount_minor: amount },
    ...{ tax_rate: taxed.rate, tax_category: taxed.category, tax_minor: tax },
    ...{ from_at: date(span.from), to_at: date(span.to), proration },
  };
}

/** The key that distinguishes a document's lines, both expected and shown. */
// biome-ignore lint/suspicious/noExplicitAny: lines of both kinds
export function lineKey({ vm_id, from_at, to_at, description, amount_minor }: any): string {
  return [
    vm_id,
    new Date(from_at).toISOString(),
    new Date(to_at).toISOString(),
    description,
    `${amount_minor}`,
  ].join();
}
