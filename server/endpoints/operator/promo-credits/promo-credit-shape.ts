import type { PromoCreditRow } from '../../../db/queries/money/promo-credits.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { Currency, Enum, Id, Minor, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { WalletShape } from '../shared/wallet-shape.ts';

const promoCreditFields = {
  id: Id('prm'),
  account_id: Id('acc'),
  amount_minor: Minor('Original amount'),
  remaining_minor: Minor('Remaining amount'),
  expires_at: Timestamp(),
  revoked_at: Nullable(Timestamp()),
  reason: Type.String(),
  actor: Type.String({ description: 'Operator who granted it, such as "anna as root"' }),
  created_at: Timestamp(),
  currency: Currency,
  status: Enum(['active', 'spent', 'expired', 'revoked']),
};

export const PromoCreditShape = Shape(promoCreditFields, {
  $id: 'PromoCredit',
  description: 'Credit granted to an account, and its remaining amount',
});
export const ChangedPromoCreditShape = Shape(
  { ...promoCreditFields, wallet: WalletShape },
  { $id: 'ChangedPromoCredit', description: 'Promotional credit and the resulting wallet' },
);

export function presentPromoCredit(credit: PromoCreditRow, currency: string, now: Date) {
  return {
    ...credit,
    amount_minor: toJsonInteger(credit.amount_minor),
    remaining_minor: toJsonInteger(credit.remaining_minor),
    currency,
    status: promoStatus(credit, now),
  };
}

function promoStatus({ remaining_minor, expires_at, revoked_at }: PromoCreditRow, now: Date) {
  if (revoked_at) return 'revoked';
  if (expires_at <= now) return 'expired';
  return remaining_minor === 0n ? 'spent' : 'active';
}
