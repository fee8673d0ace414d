import { toJsonInteger } from '../../domain/billing/money.ts';
import { isSoldIn } from '../../domain/catalog/lookup.ts';
import { blockerOf } from '../../domain/vms/blockers.ts';
import { planChange, priceOfChange } from '../../domain/vms/change-vm.ts';
import { currentConfiguration, planFor } from '../../domain/vms/configuration.ts';
import { requireResizable } from '../../domain/vms/states.ts';
import { Type } from '../../platform/schema.ts';
import { examplePlan, PublicPlanShape, presentPublicPlan } from '../catalog/plan-shape.ts';
import { endpoint } from '../endpoint.ts';
import { Minor, Nullable, Shape, VmParams } from '../schemas.ts';
import { BlockerShape } from './blocker-shape.ts';
import { loadVm } from './load-vm.ts';

export const listPlanOptions = endpoint({
  operation: 'listPlanOptions',
  method: 'GET',
  path: '/v1/vm/{id}/plan-options',
  scope: 'vm:read',
  tag: 'vm',
  summary: 'List the plans a VM can switch to',
  description: 'Plans sold where the VM is. One that cannot be taken is shown with its blocker, not hidden.',
  params: VmParams,
  data: Type.Array(
    Shape(
      {
        plan: PublicPlanShape,
        current: Type.Boolean({ description: 'The plan the VM has' }),
        available: Type.Boolean({ description: 'It can be chosen at all' }),
        allowed: Type.Boolean({ description: 'This VM could take it now' }),
        blocker: Nullable(BlockerShape),
        net_minor: Minor('What the switch would cost now: positive is charged, negative refunded'),
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
  async handle({ resource: vm, services: { catalog }, now }) {
    const lock = blockerOf(() => requireResizable(vm, true));
    const offered = catalog.plans.filter((plan) => isSoldIn(plan, vm.region));
    return {
      data: offered.map((plan) => {
        const current = plan.code === vm.plan;
        const blocker = current ? null : (lock ?? blockerOf(() => planChange(catalog, vm, plan.code, true)));
        const target = current
          ? currentConfiguration(vm, catalog)
          : planFor(vm, plan, catalog.currency, true);
        return {
          plan: presentPublicPlan(plan, catalog),
          current,
          available: !plan.deprecated,
          allowed: !current && blocker === null,
          blocker,
          net_minor: current ? 0 : toJsonInteger(priceOfChange(catalog, vm, target, now).total_minor),
        };
      }),
    };
  },
});
