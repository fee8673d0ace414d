import { withMeter } from '../../../db/queries/money/meters.ts';
import { completedOrdersOfVm, orderTotalsOfVm } from '../../../db/queries/money/orders.ts';
import { openUsage } from '../../../domain/billing/arrears.ts';
import { catalogOf } from '../../../domain/billing/buyers.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { nextRenewal } from '../../../domain/billing/overview.ts';
import { nextPrice } from '../../../domain/billing/renewal-price.ts';
import { usageMinor } from '../../../domain/billing/usage.ts';
import { endpoint } from '../../../http/endpoint.ts';
import {
  Count,
  Currency,
  Enum,
  Id,
  Minor,
  Nullable,
  Shape,
  Timestamp,
  VmParams,
} from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { ORDER_KINDS } from '../shared/order-shape.ts';
import { loadVm } from './load-vm.ts';
import { billingFields, presentBilling } from './vm-shape.ts';
import { exampleVmUsage, presentVmUsage, VmUsageShape } from './vm-usage-shape.ts';

/** Number of charges listed: eight years of renewals. The list of orders has all of them. */
const MAX_CHARGES = 100;

const ChargeShape = Shape(
  {
    order_id: Id('ord'),
    kind: Enum(ORDER_KINDS, { $id: 'OrderKind' }),
    amount_minor: Minor('Charged; refunded if negative'),
    invoice_id: Nullable(Id('inv')),
    invoice_number: Nullable(Type.String({ description: 'Number of that invoice; null until it is issued' })),
    created_at: Timestamp(),
  },
  { $id: 'Charge', description: 'A completed order of a VM' },
);

const VmBillingShape = Shape(
  {
    currency: Currency,
    price_monthly_minor: Minor('Monthly price at the time of sale'),
    ...billingFields,
    billing_period_start_at: Timestamp('Start of the paid period'),
    billing_period_end_at: Timestamp('End of the paid period'),
    next_charge_at: Nullable(
      Timestamp('When it renews, in the past if it is unpaid; null if it does not renew'),
    ),
    next_charge_minor: Nullable(
      Minor(
        'Price of the next renewal, including usage so far and all amounts due; null if it does not renew',
      ),
    ),
    next_price: Nullable(
      Shape(
        {
          price_monthly_minor: Minor('Monthly price'),
          from_at: Timestamp('Applies from the renewal at this time'),
        },
        {
          $id: 'NextVmPrice',
          description: 'The next renewal price that differs from the current one, if one is announced',
        },
      ),
    ),
    retires_at: Nullable(
      Timestamp(
        'When it ends because its plan is retired, unless the plan is changed before; null if the plan is not retired',
      ),
    ),
    auto_renew: Type.Boolean(),
    usage_minor: Count('Usage so far that will be charged with the next renewal'),
    usage: VmUsageShape,
    lifetime_charged_minor: Minor('Total charges so far'),
    lifetime_refunded_minor: Minor('Total refunds so far'),
    charges: Type.Array(ChargeShape, {
      maxItems: MAX_CHARGES,
      description: `Completed orders, newest first, at most ${MAX_CHARGES}; see \`/v1/billing/orders\` for all`,
    }),
  },
  { $id: 'VmBilling', description: 'Current and past costs of a VM' },
);

export const getVmBilling = endpoint({
  audience: 'customer',
  operation: 'getVmBilling',
  method: 'GET',
  path: '/v1/vm/{id}/billing',
  scope: 'vm:read',
  tag: 'vm',
  summary: 'Get the billing of a VM',
  description: 'Returns the price and time of the next renewal, uncharged usage, and the latest charges.',
  params: VmParams,
  data: VmBillingShape,
  errors: [],
  example: {
    currency: 'EUR',
    price_monthly_minor: 399,
    price_hourly: null,
    billing_mode: 'monthly',
    next_billing_mode: 'monthly',
    billing_period_start_at: '2026-01-05T09:30:00.000Z',
    billing_period_end_at: '2026-02-05T09:30:00.000Z',
    next_charge_at: '2026-02-05T09:30:00.000Z',
    next_charge_minor: 399,
    next_price: { price_monthly_minor: 449, from_at: '2026-04-05T09:30:00.000Z' },
    retires_at: null,
    auto_renew: true,
    usage_minor: 0,
    usage: exampleVmUsage,
    lifetime_charged_minor: 399,
    lifetime_refunded_minor: 0,
    charges: [
      {
        order_id: 'ord_01ke1y3m8q2z5x7c9v1b3n5m7k',
        kind: 'create',
        amount_minor: 399,
        invoice_id: 'inv_01ke1y3m8q2z5x7c9v1b3n5m7k',
        invoice_number: null,
        created_at: '2026-01-05T09:30:00.000Z',
      },
    ],
  },
  load: loadVm,
  async handle({ resource, db, services, now }) {
    const [vm, catalog, totals, orders] = await Promise.all([
      withMeter(db, resource),
      catalogOf(db, services.catalog, resource.account_id),
      orderTotalsOfVm(db, resource.id),
      completedOrdersOfVm(db, resource.id, MAX_CHARGES),
    ]);
    const next = nextRenewal(vm, catalog, now);
    const price = nextPrice(vm, catalog, now);
    const usage = openUsage(vm, catalog, now);
    return {
      data: {
        currency: vm.currency,
        price_monthly_minor: toJsonInteger(vm.price_monthly_minor),
        ...presentBilling(vm),
        billing_period_start_at: vm.billing_period_start_at,
        billing_period_end_at: vm.billing_period_end_at,
        next_charge_at: next?.due_at ?? null,
        next_charge_minor: next && toJsonInteger(next.amount_minor),
        next_price: price && {
          price_monthly_minor: toJsonInteger(price.price_monthly_minor),
          from_at: price.from,
        },
        retires_at: vm.retires_at,
        auto_renew: vm.auto_renew,
        usage_minor: toJsonInteger(usageMinor(usage)),
        usage: presentVmUsage(vm, usage),
        lifetime_charged_minor: toJsonInteger(totals.charged_minor),
        lifetime_refunded_minor: toJsonInteger(totals.refunded_minor),
        charges: orders.map(({ id, kind, amount_minor, invoice_id, invoice_number, created_at }) => ({
          order_id: id,
          kind,
          amount_minor: toJsonInteger(amount_minor),
          invoice_id,
          invoice_number,
          created_at,
        })),
      },
    };
  },
});
