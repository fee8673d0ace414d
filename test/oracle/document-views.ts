import { type Document, type Line, type Order, sum } from './account.ts';
import type { Expected } from './differences.ts';
import type { PriceList } from './tariff.ts';

/** Invoices and credit notes, as the API should show them. */

const date = (at: number) => new Date(at);

const linesOf = ({ orders }: Document) =>
  orders.flatMap((order) => order.lines.map((line) => ({ order, line })));

export function document(document: Document, list: PriceList): Record<string, Expected> {
  const lines = linesOf(document).map(({ line }) => line);
  const [total, tax] = [sum(lines.map(({ amount }) => amount)), sum(lines.map((line) => line.tax))];
  const issued = document.issuedAt === null ? null : date(document.issuedAt);
  return {
    ...{ id: document.id, type: document.type, status: issued ? 'paid' : 'draft', number: document.number },
    ...{ period_start_at: date(document.month.from), period_end_at: date(document.month.to) },
    ...{ subtotal_minor: total - tax, tax_minor: tax, total_minor: total, currency: list.currency },
    ...{ issued_at: issued, paid_at: issued },
    corrects: [...document.corrects]
      .sort((a, b) => (a.id! < b.id! ? -1 : 1))
      .map(({ id, number }) => ({ invoice_id: id, number })),
  };
}

/** The same with taxes and lines; lines of one instant in any order. */
export function documentWithLines(of: Document, list: PriceList): Expected {
  const byRate = Map.groupBy(linesOf(of), ({ line }) => line.tax_rate);
  const taxes = [...byRate].sort(([a], [b]) => Number(a) - Number(b));
  return {
    ...document(of, list),
    taxes: taxes.map(([tax_rate, lines]) => {
      const tax = sum(lines.map(({ line }) => line.tax));
      const net = sum(lines.map(({ line }) => line.amount)) - tax;
      return { tax_rate, subtotal_minor: net, tax_minor: tax };
    }),
    lines: linesOf(of)
      .map(({ order, line }) => presentLine(order, line))
      .sort((a, b) => (lineKey(a) < lineKey(b) ? -1 : 1)),
  };
}

function presentLine({ vm }: Order, line: Line) {
  const { description, quantity, unit, unit_price, price_hourly, amount, tax_rate, tax, span, proration } =
    line;
  return {
    ...{ description, vm_id: vm?.id ?? null, quantity, unit, unit_price, price_hourly, amount_minor: amount },
    ...{ tax_rate, tax_minor: tax, from_at: date(span.from), to_at: date(span.to), proration },
  };
}

/** What tells the lines of a document apart, whether expected or shown. */
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
