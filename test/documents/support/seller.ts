import type { Database } from '../../../server/db/database.ts';
import { putBillingProfile } from '../../../server/db/queries/money/billing-profiles.ts';
import { findInvoice, invoiceLines } from '../../../server/db/queries/money/invoices.ts';
import type { OrderRow } from '../../../server/db/queries/money/orders.ts';
import type { VmRow } from '../../../server/db/queries/vms/vms.ts';
import { charge, lineOf, type Terms, termsOf } from '../../../server/domain/billing/charge-line.ts';
import { documentFigures } from '../../../server/domain/billing/document-figures.ts';
import { invoiceDocument } from '../../../server/domain/billing/invoice-document.ts';
import { settleNow } from '../../../server/domain/billing/ledger.ts';
import type { BillingProfile } from '../../../server/domain/tax/billing-profile.ts';
import type { Clock } from '../../../server/platform/clock.ts';
import { withLedger } from '../../billing/support.ts';
import { SELLER } from './samples.ts';

/** A seller in Germany that is also registered in Austria and Norway. */
export const RULES = {
  currency: 'EUR',
  tax_rate: '0.19',
  tax_rates: { AT: '0.2', NO: '0.25' },
  seller: { country: SELLER.country! },
};

export const profile = (change: Partial<BillingProfile> = {}): BillingProfile => ({
  ...{ kind: 'consumer', name: 'Buyer', street: 'Street 1', city: 'Town', postcode: null, country: 'DE' },
  ...{ vat_id: null, exempt_reason: null },
  ...change,
});

/** A Dutch business, which is taxed by reverse charge. */
export const DUTCH = profile({
  kind: 'business',
  name: 'Dutch B.V.',
  country: 'NL',
  vat_id: 'NL004495445B01',
});

export async function setProfile(db: Database, clock: Clock, accountId: string, buyer: BillingProfile) {
  await putBillingProfile(db, { account_id: accountId, ...buyer, updated_at: clock.now() });
}

/**
 * Sells or refunds lines of these gross amounts to the buyer in the account's billing profile, on these terms: of the VM, or
 * of its add-on with the code `addOn`.
 */
export function sell(
  db: Database,
  clock: Clock,
  vm: VmRow,
  amounts: bigint[],
  terms: Terms,
  addOn?: string,
): Promise<OrderRow> {
  const service = { startAt: vm.billing_period_start_at, endAt: vm.billing_period_end_at };
  const unit = {
    ...(addOn === undefined
      ? { description: 'Shared S1', unit: 'month' as const, quantity: 1 }
      : { description: `2 × ${addOn}`, unit: 'add_on' as const, add_on: addOn, quantity: 2 }),
    unit_price: '1.00',
  };
  const lines = amounts.map((amount) => lineOf(unit, amount, terms, service, true));
  const { account_id: accountId, id: vmId } = vm;
  const order = {
    accountId,
    vmId,
    kind: 'adjustment' as const,
    charge: charge(lines),
    at: clock.now(),
  };
  return withLedger(db, clock, (ledger) => settleNow(ledger, order));
}

export const termsFor = (buyer: BillingProfile | undefined, currency = 'EUR'): Terms =>
  termsOf({ ...RULES, currency }, buyer);

/** Returns a document with its figures as customers, PDF and XML have them. */
export async function documentOf(db: Database, accountId: string, id: string) {
  const invoice = (await findInvoice(db, accountId, id))!;
  const lines = await invoiceLines(db, invoice);
  return {
    invoice,
    figures: documentFigures(invoice, lines),
    document: () => invoiceDocument(invoice, lines),
  };
}
