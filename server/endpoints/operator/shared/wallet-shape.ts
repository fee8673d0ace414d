import type { WalletRow } from '../../../db/queries/money/wallets.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { Minor, Shape } from '../../../http/schemas.ts';

export const WalletShape = Shape(
  {
    balance_minor: Minor('Available plus held'),
    held_minor: Minor('Reserved for orders in progress'),
    available_minor: Minor('Spendable amount'),
    promo_minor: Minor('Promotional part of the available balance'),
    claimed_minor: Minor('Owed for reversed payments'),
  },
  { $id: 'Wallet', description: 'Wallet of an account' },
);

export function presentWallet(
  wallet: Pick<WalletRow, 'available_minor' | 'promo_minor' | 'held_minor' | 'claimed_minor'>,
) {
  return {
    balance_minor: toJsonInteger(wallet.available_minor + wallet.held_minor),
    held_minor: toJsonInteger(wallet.held_minor),
    available_minor: toJsonInteger(wallet.available_minor),
    promo_minor: toJsonInteger(wallet.promo_minor),
    claimed_minor: toJsonInteger(wallet.claimed_minor),
  };
}
