import { lockAccount } from '../../../db/queries/access/accounts.ts';
import {
  advanceOutage,
  lockOutage,
  nextVmOf,
  type OutageRow,
  type SlaMonth,
  slaMonthsOf,
} from '../../../db/queries/hosts/outages.ts';
import type { OrderRow } from '../../../db/queries/money/orders.ts';
import { lockWallet } from '../../../db/queries/money/wallets.ts';
import { systemFindVm } from '../../../db/queries/vms/vms.ts';
import { notFound } from '../../../platform/errors.ts';
import type { SlaCredit } from '../../catalog/sla-schema.ts';
import { charge } from '../charge-line.ts';
import type { LedgerContext } from '../ledger.ts';
import { adjustmentLine } from './lines.ts';
import { settleAdjustment } from './settle-adjustment.ts';
import { slaCreditOf, slaPercent } from './sla-credit.ts';

/** An outage to credit by the catalog's rule. */
export interface OutageCredit {
  outageId: string;
  rule: SlaCredit[];
  actor: string;
}

/**
 * Credits an outage to the next affected VM and notes that in the same transaction, so that an interrupted run
 * continues where it stopped. Returns false when no VM is left and the outage is fully credited.
 */
export async function creditNextVm(ledger: LedgerContext, credit: OutageCredit): Promise<boolean> {
  const { tx } = ledger;
  const outage = await lockOutage(tx, credit.outageId);
  if (!outage) throw notFound();
  if (outage.status === 'credited') return false;
  const next = await nextVmOf(tx, outage);
  if (!next) {
    await advanceOutage(tx, { ...outage, status: 'credited' });
    return false;
  }
  await advanceOutage(tx, { ...outage, status: 'crediting', credited_up_to: next.id });
  // A closed account has no wallet to credit.
  if ((await lockAccount(tx, next.account_id)) !== 'closed') await creditVm(ledger, credit, outage, next.id);
  return true;
}

async function creditVm(
  ledger: LedgerContext,
  { rule, actor }: OutageCredit,
  outage: OutageRow,
  vmId: string,
): Promise<OrderRow | undefined> {
  const { tx } = ledger;
  const vm = (await systemFindVm(tx, vmId, true))!;
  // No other correction or settlement can happen from here on.
  await lockWallet(tx, vm.account_id);
  const lines = (await slaMonthsOf(tx, vm, outage))
    .map((month) => lineOf(month, rule, outage))
    .filter(({ amount_minor }) => amount_minor !== 0n);
  if (lines.length === 0) return undefined;
  const adjustment = { type: 'sla_credit' as const, reason: outage.reason, actor, outageId: outage.id };
  return settleAdjustment(ledger, { accountId: vm.account_id, vm, adjustment, charge: charge(lines) });
}

/**
 * Returns a line at the tax rate and for the service period of the month's sale, so that the credit reduces that sale's
 * recognised revenue.
 */
function lineOf(month: SlaMonth, rule: SlaCredit[], { reason }: OutageRow) {
  const { from_at: startAt, to_at: endAt, currency } = month;
  const tax = { rate: month.tax_rate, category: month.tax_category!, reason: month.tax_reason };
  const description = `SLA credit, ${slaPercent(rule, month)} % of the month: ${reason}`;
  return adjustmentLine(description, -slaCreditOf(rule, month), currency, { startAt, endAt }, tax);
}
