import type { Account, Order, Vm } from './account.ts';
import type { Span } from './calendar.ts';
import type { Taxed } from './tax.ts';

/** Returns the months for which a VM was sold, with the tax of each sale. */
export function monthsOf({ orders }: Account, vm: Vm): { span: Span; taxed: Taxed }[] {
  const isSale = ({ kind, status, vm: of }: Order) =>
    of === vm && status === 'completed' && (kind === 'create' || kind === 'renew');
  return orders
    .filter(isSale)
    .flatMap(({ lines }) => lines)
    .filter(({ unit, proration }) => (unit === 'month' || unit === 'deposit') && !proration)
    .map(({ span, taxed }) => ({ span, taxed }));
}

/** Returns the month of a VM that contains a span; null if none does. */
export function monthAround(account: Account, vm: Vm | null, { from, to }: Span): Span | null {
  if (vm === null || from >= to) return null;
  const months = monthsOf(account, vm)
    .map(({ span }) => span)
    .filter((span) => span.from <= from && span.to >= to)
    .sort((a, b) => b.from - a.from);
  return months[0] ?? null;
}
