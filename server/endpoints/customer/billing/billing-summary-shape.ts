import type { MeteredVm } from '../../../db/queries/money/meters.ts';
import type { WalletView } from '../../../db/queries/money/wallets.ts';
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
      'Price of the renewal, including usage so far; the total amount due if the period is over',
    ),
    due_at: Timestamp('End of the paid period; in the past if the wallet did not cover the renewal'),
  },
  { $id: 'NextCharge', description: 'An upcoming renewal' },
);

const UnpaidShape = Shape(
  {
    vm_id: Id('vm'),
    unpaid_since_at: Timestamp(),
    suspends_at: Timestamp('When it is or was switched off; the next attempt if that failed'),
    suspended_at: Nullable(Timestamp('When it was switched off; null if it is on')),
    deletes_at: Timestamp('When it will be deleted with its data, unless it is paid before then'),
  },
  { $id: 'UnpaidVm', description: 'Schedule of an unpaid VM' },
);

export const BillingSummaryShape = Shape(
  {
    currency: Currency,
    available_minor: Minor('Spendable amount, including promotional credit'),
    ...promoFields,
    ...debtField,
    month_to_date_minor: Minor('Charges minus refunds in this calendar month (UTC)'),
    forecast_month_minor: Minor(
      'The same at the end of the month, provided that all renewals due until then are paid',
    ),
    active_vm_count: Count('Number of VMs that are billed: created and not being deleted'),
    next_charges: Type.Array(RenewalShape, {
      maxItems: MAX_NEXT_CHARGES,
      description: `The next renewals, at most ${MAX_NEXT_CHARGES}, earliest first`,
    }),
    overdue_minor: Minor(
      'Amount due now for VMs that renew: all missed months, and the used grace period of suspended VMs',
    ),
    shortfall_minor: Minor(
      'Top-up needed for `overdue_minor` and `debt_minor` together; it pays the debt and renews all overdue VMs',
    ),
    usage_minor: Minor(
      'Usage of the VMs that has not been charged yet; overdue_minor includes the part that is due',
    ),
    unpaid: Type.Array(UnpaidShape, { description: 'Schedules of the unpaid VMs' }),
    shield_tenant_ids: Type.Array(Id('ten'), { description: 'DDoS Shield tenants of the account' }),
    generated_at: Timestamp(),
  },
  { $id: 'BillingSummary', description: 'Billing overview of an account' },
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
