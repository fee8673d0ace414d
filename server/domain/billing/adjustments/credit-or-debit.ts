import type { Transaction } from '../../../db/database.ts';
import { findBillingProfile } from '../../../db/queries/money/billing-profiles.ts';
import type { OrderRow } from '../../../db/queries/money/orders.ts';
import { systemFindVm, type VmRow } from '../../../db/queries/vms/vms.ts';
import { invalidField } from '../../../platform/errors.ts';
import { requireOpen } from '../../accounts/account-status.ts';
import type { Catalog } from '../../catalog/catalog-schema.ts';
import { taxFor } from '../../tax/tax.ts';
import { charge } from '../charge-line.ts';
import type { LedgerContext } from '../ledger.ts';
import { adjustmentLine } from './lines.ts';
import { settleAdjustment } from './settle-adjustment.ts';

/** A credit or debit that does not correct an order. */
export interface FreeAdjustment {
  type: 'credit' | 'debit';
  account: { id: string; currency: string };
  /** Must be more than zero. */
  amountMinor: bigint;
  /** The VM that the adjustment concerns, if any. */
  vmId: string | undefined;
  reason: string;
  actor: string;
}

const DESCRIPTION = { credit: 'Credit', debit: 'Debit' } as const;

/**
 * Credits or debits an account independently of any sale: at the account's current tax, for no service period. Throws
 * `insufficient_funds` if the wallet does not cover a debit.
 */
export async function creditOrDebit(
  ledger: LedgerContext,
  catalog: Catalog,
  { type, account, amountMinor, vmId, reason, actor }: FreeAdjustment,
): Promise<OrderRow> {
  const { tx, clock } = ledger;
  await requireOpen(tx, account.id);
  const vm = vmId === undefined ? undefined : await requireVm(tx, account.id, vmId);
  const tax = taxFor(catalog, await findBillingProfile(tx, account.id));
  const at = clock.now();
  const amount = type === 'credit' ? -amountMinor : amountMinor;
  const description = `${DESCRIPTION[type]}: ${reason}`;
  const line = adjustmentLine(description, amount, account.currency, { startAt: at, endAt: at }, tax);
  const adjustment = { type, reason, actor };
  // Only money moves: promotional credit is for sales.
  return settleAdjustment(ledger, {
    accountId: account.id,
    vm,
    adjustment,
    charge: charge([line]),
    promoAtMost: 0n,
  });
}

/** Returns a VM of the account, deleted ones included, and locks it until the transaction ends. */
async function requireVm(tx: Transaction, accountId: string, id: string): Promise<VmRow> {
  const vm = await systemFindVm(tx, id, true);
  if (vm?.account_id === accountId) return vm;
  throw invalidField('vm_id', 'not_found', 'is not a VM of this account');
}
