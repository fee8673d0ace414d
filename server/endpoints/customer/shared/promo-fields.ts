import type { PromoReturned } from '../../../db/queries/money/promo-returns.ts';
import type { WalletView } from '../../../db/queries/money/wallets.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { Count, Minor, Nullable, Timestamp } from '../../../http/schemas.ts';

export const debtField = {
  debt_minor: Minor(
    'Debt of the account for reversed payments and the usage of deleted VMs. The next top-ups pay it first, and nothing can be bought until it is paid',
  ),
};

export const promoFields = {
  promo_minor: Minor('The part that is promotional credit, which is spent before money and never paid out'),
  promo_expires_at: Nullable(Timestamp('The soonest end of promotional credit; null if there is none')),
};

export function presentPromo({ promo_minor, promo_expires_at }: WalletView) {
  return { promo_minor: toJsonInteger(promo_minor), promo_expires_at };
}

const ofRefund = {
  promo_minor: Count('The part of the refund that is promotional credit; the rest is money'),
  promo_expires_at: Nullable(
    Timestamp(
      'The earliest expiry of the refunded credit, possibly in the past; null if the refund is all money',
    ),
  ),
};

export const refundPromoFields = ofRefund;

/** The fields in a preview or a quote about the promotional credit that would be refunded. */
export const previewPromoFields = {
  refund_promo_minor: ofRefund.promo_minor,
  refund_promo_expires_at: ofRefund.promo_expires_at,
};

export function presentRefundPromo({ promo_minor, promo_expires_at }: PromoReturned = NOTHING) {
  return { promo_minor: toJsonInteger(promo_minor), promo_expires_at };
}

export function presentPreviewPromo({ promo_minor, promo_expires_at }: PromoReturned = NOTHING) {
  return { refund_promo_minor: toJsonInteger(promo_minor), refund_promo_expires_at: promo_expires_at };
}

const NOTHING: PromoReturned = { promo_minor: 0n, promo_expires_at: null };
