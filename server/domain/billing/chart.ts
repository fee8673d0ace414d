import type { LedgerAccount } from '../../db/queries/money/wallets.ts';

/** The type of an account in the balance sheet: what the seller owns, owes, earns or spends. */
export type AccountType = 'asset' | 'liability' | 'income' | 'expense';

/** An account of the chart. One that is kept per tax rate or provider has a suffix, as in "revenue:0.2". */
export interface ChartAccount {
  code: string;
  name: string;
  type: AccountType;
  per?: 'tax rate' | 'provider';
}

/**
 * The chart of accounts. A journal row debits one account and credits another, so Σ debits = Σ credits. A sale moves
 * the customer's money to deferred revenue (net) and to tax payable; as its service period passes, each day's share is
 * recognised as revenue (`db/queries/recognition.ts`). Refunds take the same path in reverse, at the tax rate of the
 * sale.
 */
export const CHART: readonly ChartAccount[] = [
  { code: 'clearing', name: 'Payment clearing', type: 'asset', per: 'provider' },
  { code: 'receivable', name: 'Owed for the usage of deleted VMs', type: 'asset' },
  { code: 'wallet', name: 'Prepaid by customers', type: 'liability' },
  { code: 'hold', name: 'Prepaid by customers and held for orders', type: 'liability' },
  { code: 'promo', name: 'Promotional credit', type: 'liability' },
  { code: 'deferred', name: 'Deferred revenue, net', type: 'liability', per: 'tax rate' },
  { code: 'tax', name: 'Tax payable', type: 'liability', per: 'tax rate' },
  { code: 'revenue', name: 'Revenue, net', type: 'income', per: 'tax rate' },
  { code: 'refunds', name: 'Refunds of delivered services, net', type: 'income', per: 'tax rate' },
  { code: 'promo_expense', name: 'Promotional credit given', type: 'expense' },
  { code: 'write_off', name: 'Write-offs', type: 'expense' },
];

/** The account through which a provider's money, such as that of "bank_transfer", arrives and leaves. */
export function clearing(provider: string): LedgerAccount {
  return `clearing:${provider}`;
}
