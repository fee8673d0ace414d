import { roomFor } from '../../../cluster/read-supply.ts';
import { findBillingProfile } from '../../../db/queries/money/billing-profiles.ts';
import { withMeter } from '../../../db/queries/money/meters.ts';
import { lookUpWallet } from '../../../db/queries/money/wallets.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { catalogFor } from '../../../domain/catalog/buyer-prices.ts';
import { isSoldIn } from '../../../domain/catalog/lookup.ts';
import { catalogAt } from '../../../domain/catalog/prices.ts';
import { blockerFrom } from '../../../domain/vms/blockers.ts';
import { decideChange } from '../../../domain/vms/decide-change.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Minor, Nullable, Shape, VmParams } from '../../../http/schemas.ts';
import type { ErrorCode } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { examplePlan, PublicPlanShape, presentPublicPlan } from '../catalog/plan-shape.ts';
import { BlockerShape } from './blocker-shape.ts';
import { loadVm } from './load-vm.ts';

/** Reasons that rule out every VM of this size. */
const UNAVAILABLE: ReadonlySet<ErrorCode> = new Set(['capacity_unavailable', 'compute_unavailable']);

export const listPlanOptions = endpoint({
  audience: 'customer',
  operation: 'listPlanOptions',
  method: 'GET',
  path: '/v1/vm/{id}/plan-options',
  money: true,
  scope: 'vm:read',
  tag: 'vm',
  summary: 'List the plans a VM can change to',
  description:
    'Returns the plans sold in the region of the VM that it can change to now. With `all=true`, the others are listed too, each with the reason in its blocker; for the current plan, this is `same_plan`.',
  params: VmParams,
  query: Type.Object({
    all: Type.Optional(
      Type.Boolean({ description: 'Also list plans that this VM cannot change to now, defaults to false' }),
    ),
  }),
  data: Type.Array(
    Shape(
      {
        plan: PublicPlanShape,
        current: Type.Boolean({ description: 'True for the current plan of the VM' }),
        available: Type.Boolean({ description: 'True if there is capacity for it now' }),
        allowed: Type.Boolean({ description: 'True if this VM could change to it now' }),
        blocker: Nullable(BlockerShape),
        net_minor: Minor('Current price of the change: charged if positive, refunded if negative'),
      },
      { $id: 'PlanOption' },
    ),
  ),
  errors: [],
  example: [
    {
      plan: { ...examplePlan, regions: ['eu-west'] },
      current: false,
      available: true,
      allowed: true,
      blocker: null,
      net_minor: 312,
    },
  ],
  load: loadVm,
  async handle({ resource: vm, query, services, db, now }) {
    const buyer = await findBillingProfile(db, vm.account_id);
    const catalog = catalogAt(catalogFor(services.catalog, buyer), now);
    const wallet = await lookUpWallet(db, vm.account_id);
    const room = await roomFor(services, vm);
    const metered = await withMeter(db, vm);
    const terms = { catalog, buyer, allowReboot: true, now, room, wallet };
    const offered = catalog.plans.filter((plan) => isSoldIn(plan, vm.region));
    const options = offered.map((plan) => {
      const wish = { plan: plan.code, resizeDisk: true };
      const { charge, refusals } = decideChange(metered, wish, terms);
      return {
        plan: presentPublicPlan(plan, catalog, now),
        current: plan.code === vm.plan,
        available: !plan.deprecated && !refusals.some(({ code }) => UNAVAILABLE.has(code)),
        allowed: refusals.length === 0,
        blocker: refusals[0] ? blockerFrom(refusals[0]) : null,
        net_minor: toJsonInteger(charge.total_minor),
      };
    });
    return { data: query.all ? options : options.filter(({ allowed }) => allowed) };
  },
});
