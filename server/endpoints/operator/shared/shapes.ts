import type { AccountOverviewRow } from '../../../db/queries/accounts.ts';
import type { ApiKeyRow } from '../../../db/queries/api-keys.ts';
import type { PaymentRow } from '../../../db/queries/payments.ts';
import type { PromoCreditRow } from '../../../db/queries/promo-credits.ts';
import type { WalletRow } from '../../../db/queries/wallets.ts';
import { keyStatus } from '../../../domain/accounts/keys.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import type { Catalog } from '../../../domain/catalog/catalog-schema.ts';
import { limitsOf } from '../../../domain/vms/quotas.ts';

/** An account for people who run the service. `limits` are the ones in force. */
export function presentAccount(account: AccountOverviewRow, catalog: Catalog) {
  return {
    id: account.id,
    name: account.name,
    status: account.status,
    currency: account.currency,
    wallet: presentWallet(account),
    vm_count: Number(account.vm_count),
    limits: limitsOf(catalog, account),
    smtp: account.smtp_open ? 'open' : 'closed',
    created_at: account.created_at,
  };
}

export function presentWallet(wallet: Pick<WalletRow, 'available_minor' | 'promo_minor' | 'held_minor'>) {
  return {
    balance_minor: toJsonInteger(wallet.available_minor + wallet.held_minor),
    held_minor: toJsonInteger(wallet.held_minor),
    available_minor: toJsonInteger(wallet.available_minor),
    promo_minor: toJsonInteger(wallet.promo_minor),
  };
}

export function presentPayment(payment: PaymentRow) {
  return { ...payment, amount_minor: toJsonInteger(payment.amount_minor) };
}

/** Promotional credit, in the currency of its account. */
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

/** A key, without its text: `hint` is all there is to recognise it by. */
export function presentKey(key: ApiKeyRow, now: Date) {
  return {
    id: key.id,
    account_id: key.account_id,
    name: key.name,
    hint: key.hint,
    status: keyStatus(key, now),
    scopes: key.scopes,
    allow_cidrs: key.allow_cidrs,
    expires_at: key.expires_at,
    revoked_at: key.revoked_at,
    last_used_at: key.last_used_at,
    created_at: key.created_at,
  };
}
