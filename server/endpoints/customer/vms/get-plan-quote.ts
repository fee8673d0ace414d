import { roomFor } from '../../../cluster/read-supply.ts';
import { findBillingProfile } from '../../../db/queries/money/billing-profiles.ts';
import { withMeter } from '../../../db/queries/money/meters.ts';
import { promoToReturn } from '../../../db/queries/money/promo-returns.ts';
import { lookUpWallet } from '../../../db/queries/money/wallets.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import type { Configuration } from '../../../domain/billing/pricing.ts';
import { catalogFor } from '../../../domain/catalog/buyer-prices.ts';
import { blockerFrom } from '../../../domain/vms/blockers.ts';
import { decideChange } from '../../../domain/vms/decide-change.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Minor, Shape, VmParams } from '../../../http/schemas.ts';
import { invalidField } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { presentPreviewPromo, previewPromoFields } from '../shared/promo-fields.ts';
import { exampleQuote, presentQuote, quoteFields } from '../shared/quote-shape.ts';
import { BlockerShape } from './blocker-shape.ts';
import { IRREVERSIBLE, irreversible, SizeInput } from './change-shape.ts';
import { loadVm } from './load-vm.ts';

export const getPlanQuote = endpoint({
  audience: 'customer',
  operation: 'getPlanQuote',
  method: 'GET',
  path: '/v1/vm/{id}/plan-quote',
  money: true,
  scope: 'vm:read',
  tag: 'vm',
  summary: 'Quote a change of plan or size',
  description:
    'Send either `plan` or one or more of `vcpu`, `ram_mb` and `disk_gb`. A change that would be refused is quoted too, with `allowed: false` and the reasons. Only unknown plans and sizes outside of `custom_limits` return 422.',
  params: VmParams,
  query: Type.Object({
    plan: Type.Optional(Type.String({ maxLength: 63, description: 'Plan code' })),
    resize_disk: Type.Optional(
      Type.Boolean({ description: 'Same as in the change, defaults to true; only with `plan`' }),
    ),
    ...SizeInput,
  }),
  data: Shape(
    {
      ...quoteFields,
      direction: Enum(['upgrade', 'downgrade', 'lateral'], {
        $id: 'PlanDirection',
        description: 'According to the monthly price',
      }),
      credit_minor: Minor('Refund for the unused time of the current plan'),
      debit_minor: Minor('Charge for the remaining time of the new plan'),
      net_minor: Minor('Debit minus credit: charged if positive, refunded if negative'),
      ...previewPromoFields,
      requires_reboot: Type.Boolean({ description: 'The VM is running and has to be power-cycled' }),
      allowed: Type.Boolean(),
      blockers: Type.Array(BlockerShape),
      irreversible: IRREVERSIBLE,
    },
    { $id: 'PlanQuote' },
  ),
  errors: ['unknown_plan'],
  example: {
    ...exampleQuote,
    direction: 'upgrade',
    credit_minor: 386,
    debit_minor: 698,
    net_minor: 312,
    refund_promo_minor: 0,
    refund_promo_expires_at: null,
    requires_reboot: true,
    allowed: true,
    blockers: [],
    irreversible: ['disk_gb'],
  },
  load: loadVm,
  async handle({ resource: vm, query, services, db, caller, now }) {
    const { plan, resize_disk: resizeDisk, ...size } = query;
    if ((plan === undefined) === (Object.keys(size).length === 0)) {
      throw invalidField('plan', 'required', 'send either a plan, or vcpu, ram_mb or disk_gb');
    }
    if (plan === undefined && resizeDisk !== undefined)
      throw invalidField(
        'resize_disk',
        'not_allowed',
        'applies only to a plan; for a custom size, send disk_gb',
      );
    const wish = plan === undefined ? { size } : { plan, resizeDisk: resizeDisk ?? true };
    const buyer = await findBillingProfile(db, caller.accountId);
    const catalog = catalogFor(services.catalog, buyer);
    const room = await roomFor(services, vm);
    const metered = await withMeter(db, vm);
    const wallet = await lookUpWallet(db, caller.accountId);
    const terms = { catalog, buyer, allowReboot: true, now, room, wallet };
    const { target, charge, refusals } = decideChange(metered, wish, terms);
    const isRefund = charge.total_minor < 0n;
    const promo = isRefund ? await promoToReturn(db, vm.id, charge.lines) : undefined;
    const debit = charge.lines.at(-1)!.amount_minor;
    return {
      data: {
        ...presentQuote(catalog, charge, wallet, now),
        direction: direction(vm.price_monthly_minor, target),
        credit_minor: toJsonInteger(debit - charge.total_minor),
        debit_minor: toJsonInteger(debit),
        net_minor: toJsonInteger(charge.total_minor),
        ...presentPreviewPromo(promo),
        requires_reboot: vm.status === 'running',
        allowed: refusals.length === 0,
        blockers: refusals.map(blockerFrom),
        irreversible: irreversible(vm, target),
      },
    };
  },
});

function direction(
  priceNow: bigint,
  { price_monthly_minor }: Configuration,
): 'upgrade' | 'downgrade' | 'lateral' {
  if (price_monthly_minor === priceNow) return 'lateral';
  return price_monthly_minor > priceNow ? 'upgrade' : 'downgrade';
}
