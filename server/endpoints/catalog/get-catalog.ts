import type { Catalog, Plan } from '../../domain/catalog/catalog-schema.ts';
import { askAdmission } from '../../domain/vms/admission.ts';
import { Type } from '../../platform/schema.ts';
import type { Services } from '../../services.ts';
import { endpoint } from '../endpoint.ts';
import { Count, Currency, Shape } from '../schemas.ts';
import { examplePlan, PlanShape, presentPlan } from './plan-shape.ts';

const RangeShape = Shape({ min: Count('Smallest'), max: Count('Largest'), step: Count('Step') });
const RegionShape = Shape(
  {
    code: Type.String(),
    name: Type.String(),
    country: Type.String({ description: 'ISO 3166-1 alpha-2' }),
    zones: Type.Array(Type.String()),
  },
  { $id: 'Region' },
);
const TemplateShape = Shape(
  {
    code: Type.String(),
    name: Type.String(),
    os_family: Type.String(),
    os_version: Type.String(),
    arch: Type.String(),
    min_disk_gb: Count('Smallest disk in GB'),
    min_ram_mb: Count('Least memory in MiB'),
    default_user: Type.String({ description: 'User that SSH keys are installed for' }),
    deprecated: Type.Boolean(),
  },
  { $id: 'Template', description: 'An OS image' },
);

export const getCatalog = endpoint({
  operation: 'getCatalog',
  method: 'GET',
  path: '/v1/vm/catalog',
  scope: 'catalog:read',
  tag: 'catalog',
  summary: 'Get plans, regions and OS images',
  data: Shape(
    {
      currency: Currency,
      plans: Type.Array(PlanShape),
      regions: Type.Array(RegionShape),
      templates: Type.Array(TemplateShape),
      custom_limits: Shape({ vcpu: RangeShape, ram_mb: RangeShape, disk_gb: RangeShape }),
    },
    { $id: 'Catalog' },
  ),
  errors: [],
  example: {
    currency: 'EUR',
    plans: [examplePlan],
    regions: [{ code: 'eu-west', name: 'Europe West', country: 'FR', zones: ['eu-west-a', 'eu-west-b'] }],
    templates: [
      {
        code: 'debian-12',
        name: 'Debian 12',
        os_family: 'debian',
        os_version: '12',
        arch: 'x86_64',
        min_disk_gb: 10,
        min_ram_mb: 512,
        default_user: 'root',
        deprecated: false,
      },
    ],
    custom_limits: {
      vcpu: { min: 1, max: 32, step: 1 },
      ram_mb: { min: 1024, max: 131072, step: 1024 },
      disk_gb: { min: 10, max: 2000, step: 10 },
    },
  },
  async handle({ services }) {
    const { catalog } = services;
    const { vcpu, ram_mb, disk_gb } = catalog.custom;
    return {
      data: {
        currency: catalog.currency,
        plans: await Promise.all(catalog.plans.map((plan) => withRoom(plan, catalog, services))),
        regions: catalog.regions.map(({ code, name, country, zones }) => ({ code, name, country, zones })),
        // What VMs are made of is the operator's business.
        templates: catalog.templates.map(({ image, ...template }) => ({
          ...template,
          deprecated: template.deprecated ?? false,
        })),
        custom_limits: { vcpu, ram_mb, disk_gb },
      },
    };
  },
});

async function withRoom(plan: Plan, catalog: Catalog, services: Services) {
  const full = new Set<string>();
  for (const region of plan.regions) {
    if (!plan.deprecated && (await askAdmission(services, plan, region))) full.add(region);
  }
  return presentPlan(plan, catalog, (region) => !full.has(region));
}
