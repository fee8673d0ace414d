import type { Account, Order, Vm } from './account.ts';
import type { Span } from './calendar.ts';
import type { Taxed } from './tax.ts';

/** The months that a VM was sold, with their sales. */
export function monthsOf({ orders }: Account, vm: Vm): { span: Span; taxed: Taxed }[] {
  const isSale = ({ kind, status, vm: of }: Order) =>
    of === vm && status === 'completed' && (kind === 'create' || kind === 'renew');
  return orders
    .filter(isSale)
    .flatMap(({ lines }) => lines)
    .filter(({ unit, proration }) => (unit === 'month' || unit === 'deposit') && !proration)
    .map(({ span, taxed }) => ({ span, taxed }));
}

/** The month of a VM that a span lies in; null where it lies in none. */
export function monthAround(account: Account, vm: Vm | null, { from, to }: Span): Span | null {
  if (vm === null || from >= to) return null;
  const months = monthsOf(account, vm)
    .map(({ span }) => span)
    .filter((span) => span.from <= from && span.to >= to)
    .sort((a, b) => b.from - a.from);
  return months[0] ?? null;
}
