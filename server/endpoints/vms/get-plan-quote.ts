import { lookUpWallet } from '../../db/queries/wallets.ts';
import { max, toJsonInteger } from '../../domain/billing/money.ts';
import type { Configuration } from '../../domain/billing/pricing.ts';
import { blockerOf } from '../../domain/vms/blockers.ts';
import { customChange, planChange, priceOfChange } from '../../domain/vms/change-vm.ts';
import { requireResizable } from '../../domain/vms/states.ts';
import { invalidField } from '../../platform/errors.ts';
import { Type } from '../../platform/schema.ts';
import { endpoint } from '../endpoint.ts';
import { exampleQuote, presentQuote, quoteFields } from '../quote-shape.ts';
import { Enum, Minor, Shape, VmParams } from '../schemas.ts';
import { BlockerShape } from './blocker-shape.ts';
import { SizeInput } from './change-shape.ts';
import { loadVm } from './load-vm.ts';

export const getPlanQuote = endpoint({
  operation: 'getPlanQuote',
  method: 'GET',
  path: '/v1/vm/{id}/plan-quote',
  scope: 'vm:read',
  tag: 'vm',
  summary: 'Quote a change of plan or size',
  description:
    'Either `plan`, or one or more of `vcpu`, `ram_mb` and `disk_gb`. What cannot be chosen at all is 422, as in the change itself.',
  params: VmParams,
  query: Type.Object({
    plan: Type.Optional(Type.String({ maxLength: 63, description: 'Plan code' })),
    ...SizeInput,
  }),
  data: Shape(
    {
      ...quoteFields,
      direction: Enum(['upgrade', 'downgrade', 'lateral'], { description: 'By the monthly price' }),
      credit_minor: Minor('Given back for the unused time of the present plan'),
      debit_minor: Minor('Charged for the remaining time of the new one'),
      net_minor: Minor('Debit less credit: positive is charged, negative refunded'),
      requires_reboot: Type.Boolean({ description: 'The VM is running and has to be power-cycled' }),
      allowed: Type.Boolean(),
      blockers: Type.Array(BlockerShape),
    },
    { $id: 'PlanQuote' },
  ),
  errors: ['unknown_plan', 'plan_not_available_in_region', 'disk_shrink_not_supported'],
  example: {
    ...exampleQuote,
    direction: 'upgrade',
    credit_minor: 386,
    debit_minor: 698,
    net_minor: 312,
    requires_reboot: true,
    allowed: true,
    blockers: [],
  },
  load: loadVm,
  async handle({ resource: vm, query, services: { catalog }, db, caller, now }) {
    const { plan, ...size } = query;
    if ((plan === undefined) === (Object.keys(size).length === 0)) {
      throw invalidField('plan', 'required', 'name either a plan, or vcpu, ram_mb or disk_gb');
    }
    const target = plan === undefined ? customChange(catalog, vm, size) : planChange(catalog, vm, plan, true);
    const charge = priceOfChange(catalog, vm, target, now);
    const wallet = await lookUpWallet(db, caller.accountId);
    const blocker = blockerOf(() => requireResizable(vm, true));
    const [credit, debit] = charge.lines.map((line) => max(line.amount_minor, -line.amount_minor));
    return {
      data: {
        ...presentQuote(catalog, charge, target, wallet, now),
        direction: direction(vm.price_monthly_minor, target),
        credit_minor: toJsonInteger(credit!),
        debit_minor: toJsonInteger(debit!),
        net_minor: toJsonInteger(charge.total_minor),
        requires_reboot: vm.status === 'running',
        allowed: blocker === null,
        blockers: blocker ? [blocker] : [],
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
