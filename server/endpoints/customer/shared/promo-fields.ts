import type { WalletView } from '../../../db/queries/wallets.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { Minor, Nullable, Timestamp } from '../../../http/schemas.ts';

/** What wallet and summary say of promotional credit. */
export const promoFields = {
  promo_minor: Minor('Of that, promotional credit: spent before money, and never paid out'),
  promo_expires_at: Nullable(Timestamp('The soonest end of promotional credit; null where there is none')),
};

export function presentPromo({ promo_minor, promo_expires_at }: WalletView) {
  return { promo_minor: toJsonInteger(promo_minor), promo_expires_at };
}
