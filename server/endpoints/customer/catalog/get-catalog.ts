import { readSupply } from '../../../cluster/read-supply.ts';
import { askTemplate } from '../../../compute/ask.ts';
import type { EngineTemplate } from '../../../compute/driver.ts';
import type { Reservation } from '../../../db/queries/vms/reservations.ts';
import { catalogOf } from '../../../domain/billing/buyers.ts';
import type { Catalog, Plan, Region } from '../../../domain/catalog/catalog-schema.ts';
import { findRegion, isDedicated, isSoldIn } from '../../../domain/catalog/lookup.ts';
import { catalogAt } from '../../../domain/catalog/prices.ts';
import { reservationOf, type Supply } from '../../../domain/hosts/supply.ts';
import { regionsWithAddresses } from '../../../domain/network/allocate.ts';

import { endpoint } from '../../../http/endpoint.ts';
import { Count, Currency, Shape } from '../../../http/schemas.ts';
import { ApiError } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { examplePlan, PlanShape, presentPlan, presentSoldTo, soldToFields } from './plan-shape.ts';

const RangeShape = Shape(
  { min: Count('Smallest'), max: Count('Largest'), step: Count('Step') },
  { $id: 'SizeRange', description: 'Available sizes' },
);
const RegionShape = Shape(
  {
    code: Type.String(),
    name: Type.String(),
    country: Type.String({ description: 'ISO 3166-1 alpha-2' }),
    zones: Type.Array(Type.String()),
    available: Type.Boolean({ description: 'True if VMs can be created in it now' }),
    available_zones: Type.Array(Type.String(), { description: 'Zones in which VMs can be created now' }),
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
    min_disk_gb: Count('Minimum disk in GB'),
    min_ram_mb: Count('Minimum memory in MiB'),
    default_user: Type.String({ description: 'User that SSH keys are installed for' }),
    deprecated: Type.Boolean(),
    available: Type.Boolean({ description: 'True if at least one region has an image of it' }),
  },
  { $id: 'Template', description: 'An OS image' },
);

export const getCatalog = endpoint({
  audience: 'customer',
  operation: 'getCatalog',
  method: 'GET',
  path: '/v1/vm/catalog',
  scope: 'catalog:read',
  tag: 'catalog',
  summary: 'Get plans, regions and OS images',
  description:
    'Returns everything on sale. A plan that is sold out in a region is shown as not available there. VMs keep deprecated plans and images.',
  data: Shape(
    {
      currency: Currency,
      ...soldToFields,
      plans: Type.Array(PlanShape),
      regions: Type.Array(RegionShape),
      templates: Type.Array(TemplateShape),
      custom_limits: Shape(
        { vcpu: RangeShape, ram_mb: RangeShape, disk_gb: RangeShape },
        { $id: 'CustomLimits', description: 'Sizes of custom configurations' },
      ),
    },
    { $id: 'Catalog' },
  ),
  errors: [],
  example: {
    currency: 'EUR',
    net_prices: false,
    tax_rate: '0.19',
    plans: [examplePlan],
    regions: [
      {
        code: 'eu-west',
        name: 'Europe West',
        country: 'FR',
        zones: ['eu-west-a', 'eu-west-b'],
        available: true,
        available_zones: ['eu-west-a'],
      },
    ],
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
        available: true,
      },
    ],
    custom_limits: {
      vcpu: { min: 1, max: 32, step: 1 },
      ram_mb: { min: 1024, max: 131072, step: 1024 },
      disk_gb: { min: 10, max: 2000, step: 10 },
    },
  },
  async handle({ services, db, caller, now }) {
    const catalog = catalogAt(await catalogOf(db, services.catalog, caller.accountId), now);
    const addressed = await regionsWithAddresses(db, catalog, now);
    const supply = await readSupply(services);
    const rooms = { catalog, supply, addressed };
    const images = await Promise.all(catalog.templates.map(({ code }) => askTemplate(services, code)));
    const { vcpu, ram_mb, disk_gb } = catalog.custom;
    return {
      data: {
        currency: catalog.currency,
        ...presentSoldTo(catalog),
        plans: catalog.plans.map((plan) =>
          presentPlan(plan, catalog, now, (region) => hasRoom(plan, region, rooms)),
        ),
        regions: catalog.regions.map((region) => {
          const { code, name, country, zones } = region;
          const available_zones = zonesNow(region, rooms, sizesSoldIn(catalog, code));
          return { code, name, country, zones, available: available_zones.length > 0, available_zones };
        }),
        // The images behind templates are the operator's business.
        templates: catalog.templates.map(({ image, deprecated = false, ...template }, index) => ({
          ...template,
          deprecated,
          available: !deprecated && isThere(images[index]),
        })),
        custom_limits: { vcpu, ram_mb, disk_gb },
      },
    };
  },
});

/** The data that decides whether a plan is available in a region. */
interface Rooms {
  catalog: Catalog;
  supply: Supply | ApiError;
  /** Regions with free addresses. */
  addressed: ReadonlySet<string>;
}

const isThere = (found: EngineTemplate | ApiError | undefined) =>
  found !== undefined && !(found instanceof ApiError);

/** Returns the zones of a region in which a VM of one of these sizes can be created. */
function zonesNow({ code, zones }: Region, { supply, addressed }: Rooms, sizes: Reservation[]): string[] {
  if (supply instanceof ApiError || !addressed.has(code)) return [];
  return supply.zonesWithRoom(zones, sizes);
}

function hasRoom(plan: Plan, code: string, rooms: Rooms): boolean {
  const { catalog } = rooms;
  return zonesNow(findRegion(catalog, code)!, rooms, [sizeOf(catalog, plan)]).length > 0;
}

const sizeOf = (catalog: Catalog, plan: Plan) =>
  reservationOf({ ...plan, dedicated: isDedicated(catalog, plan.code) });

/** Returns the sizes of a region's plans, and the smallest custom size. */
function sizesSoldIn(catalog: Catalog, code: string): Reservation[] {
  const { vcpu, ram_mb, disk_gb } = catalog.custom;
  const smallest = { vcpu: vcpu.min, ram_mb: ram_mb.min, disk_gb: disk_gb.min, dedicated: false };
  const plans = catalog.plans.filter((plan) => !plan.deprecated && isSoldIn(plan, code));
  return [...plans.map((plan) => sizeOf(catalog, plan)), reservationOf(smallest)];
}
