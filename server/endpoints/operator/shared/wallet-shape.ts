import type { WalletRow } from '../../../db/queries/wallets.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { Minor, Shape } from '../../../http/schemas.ts';

export const WalletShape = Shape(
  {
    balance_minor: Minor('What is available and what is held'),
    held_minor: Minor('Reserved for orders that are under way'),
    available_minor: Minor('What can be spent'),
    promo_minor: Minor('Of that, promotional credit'),
    claimed_minor: Minor('Owed for payments that their provider took back'),
  },
  { $id: 'Wallet', description: 'What an account has' },
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
