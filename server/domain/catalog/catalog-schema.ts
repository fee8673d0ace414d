import { type Static, Type } from '../../platform/schema.ts';

/**
 * The shape of the catalog file: what a hoster sells, where, at what price and within which limits. Prices
 * include tax; amounts are decimal strings in major units ("4.99"), never floats.
 */
const closed = { additionalProperties: false };
const Code = Type.String({
  pattern: '^[a-z0-9][a-z0-9.-]{0,62}$',
  description: 'Lower-case code, unique in its list',
});
const Price = Type.String({
  pattern: '^[0-9]{1,9}(\\.[0-9]{1,6})?$',
  description: 'Decimal in major units, such as "4.99"',
});
const Positive = Type.Integer({ minimum: 1 });
const NetworkMbps = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'Fastest that a VM may send, and receive, in Mbit/s; no limit when absent',
  }),
);
const Range = Type.Object({ min: Positive, max: Positive, step: Positive }, closed);
/** Lower ports belong to well-known services of the shared address's own host. */
const ForwardedPort = Type.Integer({ minimum: 1024, maximum: 65_535 });

export const PlanSchema = Type.Object(
  {
    code: Code,
    name: Type.String({ minLength: 1 }),
    category: Type.String({ minLength: 1, description: 'Such as "shared" or "dedicated"' }),
    vcpu: Positive,
    ram_mb: Positive,
    disk_gb: Positive,
    bandwidth_gb: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 1,
      description: 'Traffic a month; null is unmetered',
    }),
    network_mbps: NetworkMbps,
    price_monthly: Price,
    regions: Type.Array(Code, { minItems: 1, description: 'Regions that sell it' }),
    deprecated: Type.Optional(Type.Boolean({ description: 'Existing VMs keep it, nobody can choose it' })),
  },
  closed,
);

export const RegionSchema = Type.Object(
  {
    code: Code,
    name: Type.String({ minLength: 1 }),
    country: Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2' }),
    zones: Type.Array(Code, { minItems: 1 }),
    ipv4_pool: Type.String({
      description: 'CIDR that VMs get their IPv4 address from; the first usable address is the gateway',
    }),
    ipv6_pool: Type.String({
      description: 'CIDR that VMs get their IPv6 address from; the first usable address is the gateway',
    }),
    port_forward_address: Type.String({
      description: 'Shared public address whose ports are forwarded to VMs',
    }),
    port_forward_range: Type.Object({ from: ForwardedPort, to: ForwardedPort }, closed),
  },
  closed,
);

export const TemplateSchema = Type.Object(
  {
    code: Code,
    name: Type.String({ minLength: 1 }),
    os_family: Type.String({ minLength: 1 }),
    os_version: Type.String({ minLength: 1 }),
    arch: Type.Enum(['x86_64', 'arm64']),
    min_disk_gb: Positive,
    min_ram_mb: Positive,
    default_user: Type.String({ minLength: 1 }),
    image: Type.Optional({
      ...Code,
      description: 'Name of the image that VMs are made of, see docs/images.md; the code itself when absent',
    }),
    deprecated: Type.Optional(Type.Boolean()),
  },
  closed,
);

export const LimitsSchema = Type.Object(
  {
    vms: Positive,
    vcpu: Positive,
    ram_mb: Positive,
    disk_gb: Positive,
    snapshots_per_vm: Positive,
    firewall_rules_per_vm: Positive,
    port_forwards_per_vm: Positive,
    ssh_keys: Positive,
  },
  { ...closed, description: 'Quotas of an account that has none of its own' },
);

export const CatalogSchema = Type.Object(
  {
    currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217' }),
    tax_rate: Type.String({
      pattern: '^0(\\.[0-9]{1,4})?$',
      description: 'Share of tax contained in prices: "0.20" for 20 %',
    }),
    default_region: Code,
    regions: Type.Array(RegionSchema, { minItems: 1 }),
    plans: Type.Array(PlanSchema, { minItems: 1 }),
    templates: Type.Array(TemplateSchema, { minItems: 1 }),
    custom: Type.Object(
      {
        vcpu: Range,
        ram_mb: Range,
        disk_gb: Range,
        network_mbps: NetworkMbps,
        price_monthly: Type.Object(
          { vcpu: Price, ram_gb: Price, disk_gb: Price },
          { ...closed, description: 'Unit prices: one vCPU, one GiB of memory, one GB of disk' },
        ),
      },
      { ...closed, description: 'Configurations outside the plans' },
    ),
    limits: LimitsSchema,
    grace: Type.Object(
      { suspend_after_hours: Positive, delete_after_days: Positive },
      {
        ...closed,
        description: 'How long an unpaid VM runs on, and how long its data is kept after suspension',
      },
    ),
    address_quarantine_hours: Type.Integer({
      minimum: 0,
      description: 'Rest of a released address before re-use',
    }),
  },
  { ...closed, title: 'Vauban catalog' },
);

export type Catalog = Static<typeof CatalogSchema>;
export type Plan = Static<typeof PlanSchema>;
export type Region = Static<typeof RegionSchema>;
export type Template = Static<typeof TemplateSchema>;
export type Limits = Static<typeof LimitsSchema>;
export type Range = Static<typeof Range>;
