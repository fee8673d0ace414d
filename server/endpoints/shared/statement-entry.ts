import { toJsonInteger } from '../../domain/billing/money.ts';
import { Currency, Id, Minor, Nullable, Timestamp } from '../../http/schemas.ts';
import { Type } from '../../platform/schema.ts';

export const StatementSpan = {
  from: Type.Optional(Timestamp('Only entries at this time or later')),
  to: Type.Optional(Timestamp('Only entries before this time')),
};

/** Converts the fields of a {@link StatementSpan} to instants. */
export const spanOf = ({ from, to }: { from?: string | undefined; to?: string | undefined }) => ({
  from: from === undefined ? undefined : new Date(from),
  to: to === undefined ? undefined : new Date(to),
});

export const StatementEntryFields = {
  entry: Type.Integer({
    minimum: 1,
    description: "Sequential number in the account's journal, without gaps",
  }),
  at: Timestamp(),
  reason: Type.String({ description: 'Such as top_up, hold, capture, charge, release or refund' }),
  amount_minor: Minor('Text of the entry'),
  order_id: Nullable(Id('ord')),
  payment_id: Nullable(Id('pay')),
  promo_credit_id: Nullable(Id('prm')),
  available_minor: Minor('Available balance after the entry'),
  promo_minor: Minor('Promotional part of the available balance'),
  held_minor: Minor('Held amount after the entry'),
  currency: Currency,
};

interface StatementEntry {
  entry: bigint;
  at: Date;
  reason: string;
  amount_minor: bigint;
  order_id: string | null;
  payment_id: string | null;
  promo_credit_id: string | null;
}

export function presentStatementEntry(
  { entry, at, reason, amount_minor, order_id, payment_id, promo_credit_id }: StatementEntry,
  after: { available_minor: bigint; promo_minor: bigint; held_minor: bigint },
  currency: string,
) {
  return {
    entry: toJsonInteger(entry),
    at,
    reason,
    amount_minor: toJsonInteger(amount_minor),
    order_id,
    payment_id,
    promo_credit_id,
    available_minor: toJsonInteger(after.available_minor),
    promo_minor: toJsonInteger(after.promo_minor),
    held_minor: toJsonInteger(after.held_minor),
    currency,
  };
}
