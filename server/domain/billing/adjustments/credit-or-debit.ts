import type { Transaction } from '../../../db/database.ts';
import { findBillingProfile } from '../../../db/queries/billing-profiles.ts';
import type { OrderRow } from '../../../db/queries/orders.ts';
import { systemFindVm, type VmRow } from '../../../db/queries/vms.ts';
import { invalidField } from '../../../platform/errors.ts';
import { requireOpen } from '../../accounts/account-status.ts';
import type { Catalog } from '../../catalog/catalog-schema.ts';
import { taxFor } from '../../tax/tax.ts';
import { charge } from '../charge-line.ts';
import type { LedgerContext } from '../ledger.ts';
import { adjustmentLine } from './lines.ts';
import { settleAdjustment } from './settle-adjustment.ts';

/** A credit or debit that corrects no order. */
export interface FreeAdjustment {
  type: 'credit' | 'debit';
  account: { id: string; currency: string };
  /** More than zero. */
  amountMinor: bigint;
  /** The VM that it is about, if any. */
  vmId: string | undefined;
  reason: string;
  actor: string;
}

const DESCRIPTION = { credit: 'Credit', debit: 'Debit' } as const;

/**
 * Gives an account money, or takes some, beside what is sold: at its tax of today, for no service period. A debit that the
 * wallet does not cover is refused with `insufficient_funds`.
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
  // Money for money: promotional credit is for what is sold.
  return settleAdjustment(ledger, {
    accountId: account.id,
    vm,
    adjustment,
    charge: charge([line]),
    promoAtMost: 0n,
  });
}

/** A VM of the account, deleted ones included, locked until the transaction ends. */
async function requireVm(tx: Transaction, accountId: string, id: string): Promise<VmRow> {
  const vm = await systemFindVm(tx, id, true);
  if (vm?.account_id === accountId) return vm;
  throw invalidField('vm_id', 'unknown', 'is no VM of this account');
}
