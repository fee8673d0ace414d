import type { MeteredVm } from '../../../db/queries/meters.ts';
import type { WalletView } from '../../../db/queries/wallets.ts';
import { openUsageMinor } from '../../../domain/billing/arrears.ts';
import { spendableMinor, unpaidDebt } from '../../../domain/billing/ledger.ts';
import { max, sum, toJsonInteger } from '../../../domain/billing/money.ts';
import {
  dueThisMonth,
  nextRenewal,
  overdue,
  type Renewal,
  unpaidSchedule,
} from '../../../domain/billing/overview.ts';
import type { SalesCatalog } from '../../../domain/catalog/buyer-prices.ts';
import { Count, Currency, Id, Minor, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { debtField, presentPromo, promoFields } from '../shared/promo-fields.ts';

/** Number of renewals listed: a preview, not the whole calendar. */
const MAX_NEXT_CHARGES = 10;

const RenewalShape = Shape(
  {
    vm_id: Id('vm'),
    amount_minor: Minor(
      'What it renews at, with what was used so far; all that is due by now where the period is over',
    ),
    due_at: Timestamp('End of the period that is paid; past where the wallet did not cover the renewal'),
  },
  { $id: 'NextCharge', description: 'A renewal to come' },
);

const UnpaidShape = Shape(
  {
    vm_id: Id('vm'),
    unpaid_since_at: Timestamp(),
    suspends_at: Timestamp('When it is, or was, switched off; the next attempt where that failed'),
    suspended_at: Nullable(Timestamp('When it was switched off; null while it is not')),
    deletes_at: Timestamp('When it is deleted, with its data, unless it is paid before'),
  },
  { $id: 'UnpaidVm', description: 'What happens to a VM that is unpaid' },
);

export const BillingSummaryShape = Shape(
  {
    currency: Currency,
    available_minor: Minor('What the wallet can pay, promotional credit included'),
    ...promoFields,
    ...debtField,
    month_to_date_minor: Minor('Charges less refunds of this calendar month (UTC)'),
    forecast_month_minor: Minor('The same at the end of the month, if all renewals due until then are paid'),
    active_vm_count: Count('VMs that are paid for: created, and not being deleted'),
    next_charges: Type.Array(RenewalShape, {
      maxItems: MAX_NEXT_CHARGES,
      description: `The next renewals, at most ${MAX_NEXT_CHARGES}, the earliest first`,
    }),
    overdue_minor: Minor(
      'What must be paid now for the VMs that renew, all missed months, and the used grace of those that are switched off',
    ),
    shortfall_minor: Minor(
      'What the wallet lacks for that and for debt_minor; paid in, the debt is paid and all of them are renewed',
    ),
    usage_minor: Minor(
      'What the VMs have used and were not charged for yet; where it is due, overdue_minor contains it',
    ),
    unpaid: Type.Array(UnpaidShape, { description: 'What happens to the VMs that are unpaid' }),
    shield_tenant_ids: Type.Array(Id('ten'), { description: 'DDoS Shield tenants of the account' }),
    generated_at: Timestamp(),
  },
  { $id: 'BillingSummary', description: 'Where an account stands' },
);

interface Standing {
  wallet: WalletView;
  /** The VMs that are paid for, the next to be renewed first. */
  vms: MeteredVm[];
  monthToDate: bigint;
  /** DDoS Shield tenants, oldest first. */
  tenantIds: string[];
}

export function presentBillingSummary(
  { wallet, vms, monthToDate, tenantIds }: Standing,
  catalog: SalesCatalog,
  now: Date,
) {
  const renewals = vms.map((vm) => nextRenewal(vm, catalog, now)).filter((renewal) => renewal !== null);
  const due = overdue(renewals, now);
  return {
    currency: wallet.currency,
    available_minor: toJsonInteger(wallet.available_minor),
    ...presentPromo(wallet),
    debt_minor: toJsonInteger(wallet.claimed_minor),
    month_to_date_minor: toJsonInteger(monthToDate),
    forecast_month_minor: toJsonInteger(monthToDate + dueThisMonth(renewals, now)),
    active_vm_count: vms.length,
    next_charges: renewals.slice(0, MAX_NEXT_CHARGES).map(presentRenewal),
    overdue_minor: toJsonInteger(due),
    shortfall_minor: toJsonInteger(unpaidDebt(wallet) + max(due - spendableMinor(wallet), 0n)),
    usage_minor: toJsonInteger(sum(vms.map((vm) => openUsageMinor(vm, catalog, now)))),
    unpaid: vms.map((vm) => unpaidSchedule(vm, catalog.grace)).filter((schedule) => schedule !== null),
    shield_tenant_ids: tenantIds,
    generated_at: now,
  };
}

function presentRenewal({ vm_id, amount_minor, due_at }: Renewal) {
  return { vm_id, amount_minor: toJsonInteger(amount_minor), due_at };
}

export const exampleBillingSummary = {
  currency: 'EUR',
  available_minor: 9601,
  promo_minor: 500,
  promo_expires_at: '2026-03-01T00:00:00.000Z',
  debt_minor: 0,
  month_to_date_minor: 399,
  forecast_month_minor: 1698,
  active_vm_count: 2,
  next_charges: [
    { vm_id: 'vm_01kdkzqd88c2f6h0k4n8r1t5w9', amount_minor: 1299, due_at: '2026-01-28T14:02:11.000Z' },
    { vm_id: 'vm_01ke1y3m8q7n5k2x4z9b1c3d6g', amount_minor: 399, due_at: '2026-02-05T09:30:00.000Z' },
  ],
  overdue_minor: 0,
  shortfall_minor: 0,
  usage_minor: 0,
  unpaid: [],
  shield_tenant_ids: [],
  generated_at: '2026-01-10T08:00:00.000Z',
};
