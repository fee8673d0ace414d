import { readSupply } from '../../../cluster/read-supply.ts';
import { askTemplate } from '../../../compute/ask.ts';
import type { EngineTemplate } from '../../../compute/driver.ts';
import type { Catalog, Plan, Region } from '../../../domain/catalog/catalog-schema.ts';
import { findRegion, isDedicated } from '../../../domain/catalog/lookup.ts';
import { catalogAt } from '../../../domain/catalog/prices.ts';
import { regionsWithAddresses } from '../../../domain/network/allocate.ts';
import { servedZones } from '../../../domain/vms/offer.ts';
import { reservationOf, type Supply } from '../../../domain/vms/supply.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Count, Currency, Shape } from '../../../http/schemas.ts';
import { ApiError } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { examplePlan, PlanShape, presentPlan } from './plan-shape.ts';

const RangeShape = Shape(
  { min: Count('Smallest'), max: Count('Largest'), step: Count('Step') },
  { $id: 'SizeRange', description: 'Sizes that can be chosen' },
);
const RegionShape = Shape(
  {
    code: Type.String(),
    name: Type.String(),
    country: Type.String({ description: 'ISO 3166-1 alpha-2' }),
    zones: Type.Array(Type.String()),
    available: Type.Boolean({ description: 'VMs can be made in it now' }),
    available_zones: Type.Array(Type.String(), { description: 'Those in which VMs can be made now' }),
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
    available: Type.Boolean({ description: 'There is an image of it now' }),
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
  description:
    'What can be bought now: a plan that a region is out of is shown as not available there, and a deprecated plan or image is kept by the VMs that have it.',
  data: Shape(
    {
      currency: Currency,
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
  async handle({ services, db, now }) {
    const catalog = catalogAt(services.catalog, now);
    const addressed = await regionsWithAddresses(db, catalog, now);
    const supply = await readSupply(services);
    const rooms = { catalog, supply, addressed };
    const images = await Promise.all(catalog.templates.map(({ code }) => askTemplate(services, code)));
    const { vcpu, ram_mb, disk_gb } = catalog.custom;
    return {
      data: {
        currency: catalog.currency,
        plans: catalog.plans.map((plan) =>
          presentPlan(plan, catalog, now, (region) => hasRoom(plan, region, rooms)),
        ),
        regions: catalog.regions.map((region) => {
          const { code, name, country, zones } = region;
          const available_zones = zonesNow(region, rooms);
          return { code, name, country, zones, available: available_zones.length > 0, available_zones };
        }),
        // What VMs are made of is the operator's business.
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

/** What decides whether a plan can be had in a region. */
interface Rooms {
  catalog: Catalog;
  supply: Supply | ApiError;
  /** Regions that have addresses left. */
  addressed: ReadonlySet<string>;
}

const isThere = (found: EngineTemplate | ApiError | undefined) =>
  found !== undefined && !(found instanceof ApiError);

/** Zones of a region in which a VM can be made, if there is room for it. */
function zonesNow(region: Region, { supply, addressed }: Rooms): string[] {
  if (supply instanceof ApiError || !addressed.has(region.code)) return [];
  return servedZones(region, supply.capacity);
}

function hasRoom(plan: Plan, code: string, rooms: Rooms): boolean {
  const { catalog, supply } = rooms;
  if (supply instanceof ApiError || zonesNow(findRegion(catalog, code)!, rooms).length === 0) return false;
  return !supply.refusal(reservationOf({ ...plan, dedicated: isDedicated(catalog, plan.code) }));
}
