import type { Transaction } from '../../db/database.ts';
import { owedVmDebts, reduceVmDebt } from '../../db/queries/money/vm-debts.ts';
import { lockWallet, transfer, type WalletRow } from '../../db/queries/money/wallets.ts';
import { min } from './money.ts';

/** Pays the debts of deleted VMs from the money in the wallet, oldest first. Returns the wallet afterwards. */
export async function collectVmDebts(tx: Transaction, accountId: string, at: Date): Promise<WalletRow> {
  let wallet = await lockWallet(tx, accountId);
  for (const debt of await owedVmDebts(tx, accountId)) {
    const amountMinor = min(debt.owed_minor, wallet.available_minor - wallet.promo_minor);
    if (amountMinor === 0n) break;
    const move = { debit: 'wallet', credit: 'receivable', reason: 'debt_paid', amountMinor, at } as const;
    wallet = await transfer(tx, { accountId, orderId: debt.order_id, ...move });
    await reduceVmDebt(tx, debt, amountMinor);
  }
  return lockWallet(tx, accountId);
}
