import { type Static, Type } from '../../platform/schema.ts';
import { DatevSchema } from './datev-schema.ts';
import { DATE, Price, PriceHourly, priceDates, UnitPrices, UnitPricesHourly } from './price-schemas.ts';
import { RestartSchema } from './restart-schema.ts';
import { Country, SellerSchema } from './seller-schema.ts';
import { SlaSchema } from './sla-schema.ts';
import { TopUpSchema } from './top-up-schema.ts';
import { MaxUnpaid, trafficEndFields, UnitVolumes } from './traffic-schema.ts';

/**
 * The schema of the catalog file: what a hoster sells, where, at what price and within which limits. Prices include
 * tax; amounts are decimal strings in major units ("4.99"), never floats.
 */
const closed = { additionalProperties: false };
const Code = Type.String({
  pattern: '^[a-z0-9][a-z0-9.-]{0,62}$',
  description: 'Lower-case code, unique in its list',
});
/** The range of an integer column in the database. */
const Positive = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 });
const DiskSpeed = {
  disk_iops: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000_000,
      description: 'Maximum disk reads and writes of a VM, each in requests per second; no limit if absent',
    }),
  ),
  disk_mbps: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: 'The same in MB/s',
    }),
  ),
};
const NetworkMbps = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'Maximum speed for sending and for receiving, each in Mbit/s; no limit if absent',
  }),
);
const Range = Type.Object({ min: Positive, max: Positive, step: Positive }, closed);
const TaxRate = Type.String({
  pattern: '^0(\\.[0-9]{1,6})?$',
  description: 'Tax rate contained in prices: "0.20" for 20 %, "0.08875" for 8.875 %',
});
/** Lower ports belong to well-known services of the host that has the shared address. */
const ForwardedPort = Type.Integer({ minimum: 1024, maximum: 65_535 });

export const PlanSchema = Type.Object(
  {
    code: Code,
    name: Type.String({ minLength: 1 }),
    category: Type.String({
      minLength: 1,
      description:
        'For example "shared". With "dedicated", each virtual CPU has its own core; such plans are only available if the engine has reserved cores',
    }),
    vcpu: Positive,
    ram_mb: Positive,
    disk_gb: Positive,
    bandwidth_gb: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 1,
      description: 'Included traffic per month; null for unmetered',
    }),
    network_mbps: NetworkMbps,
    ...DiskSpeed,
    price_monthly: Price,
    price_hourly: Type.Optional(PriceHourly),
    prices: Type.Optional(
      Type.Array(
        Type.Object(
          { ...priceDates, price_monthly: Price, price_hourly: Type.Optional(PriceHourly) },
          closed,
        ),
        { description: 'Future prices, earliest first; price_monthly applies until then' },
      ),
    ),
    traffic_per_gb: Type.Optional({
      ...Price,
      description: 'Price per GB sent beyond bandwidth_gb; defaults to that of `usage`',
    }),
    ...trafficEndFields('that of `usage`'),
    regions: Type.Array(Code, { minItems: 1, description: 'Regions that sell it' }),
    deprecated: Type.Optional(
      Type.Boolean({ description: 'Existing VMs keep it, but new VMs cannot use it' }),
    ),
    retires_on: Type.Optional(
      Type.String({
        pattern: DATE,
        description: 'Day (UTC) from which it is neither sold nor renewed; its VMs end with their periods',
      }),
    ),
  },
  closed,
);

/** Each is a line of every renewal of a VM that has it. */
const MAX_ADD_ONS = 50;

/** Characters. With its prefix and quantity it fits three lines of an invoice's first column; the same as a DATEV text. */
const MAX_ADD_ON_NAME = 60;

export const AddOnSchema = Type.Object(
  {
    code: Code,
    name: Type.String({
      minLength: 1,
      maxLength: MAX_ADD_ON_NAME,
      description: 'Shown to customers and on invoices',
    }),
    price_monthly: {
      ...Price,
      description: 'Price of one unit per month, with the decimals of the currency',
    },
    prices: Type.Optional(
      Type.Array(Type.Object({ ...priceDates, price_monthly: Price }, closed), {
        description: 'Future prices, earliest first; price_monthly applies until then',
      }),
    ),
    max_quantity: Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'Maximum number of units per VM',
    }),
    deprecated: Type.Optional(
      Type.Boolean({ description: 'Existing VMs keep their units, but no more can be bought' }),
    ),
  },
  closed,
);

export const RegionSchema = Type.Object(
  {
    code: Code,
    name: Type.String({ minLength: 1 }),
    country: Country,
    zones: Type.Array(Code, { minItems: 1 }),
    ipv4_pool: Type.String({
      description: 'Network from which VMs get their IPv4 address; its first usable address is the gateway',
    }),
    ipv6_pool: Type.String({
      description: 'Network from which VMs get their IPv6 address; its first usable address is the gateway',
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
      description: 'Name of the image for VMs, see docs/images.md; defaults to the code',
    }),
    deprecated: Type.Optional(Type.Boolean()),
  },
  closed,
);

/** Well within the retention of a VM's events, so that each notice can be shown. */
const MAX_PRICE_NOTICE_DAYS = 180;

/** Ten years: no one looks further back. */
const MAX_GRACE_MONTHS = 120;

/** VMs per account. Multiplied by the highest price, a sum of prices still fits a JSON integer. */
const MAX_VMS = 20_000;

export const LimitsSchema = Type.Object(
  {
    vms: Type.Integer({ minimum: 1, maximum: MAX_VMS }),
    vcpu: Positive,
    ram_mb: Positive,
    disk_gb: Positive,
    snapshots_per_vm: Positive,
    firewall_rules_per_vm: Positive,
    port_forwards_per_vm: Positive,
    ssh_keys: Positive,
  },
  { ...closed, description: 'Default quotas of accounts' },
);

export const CatalogSchema = Type.Object(
  {
    currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217' }),
    tax_rate: TaxRate,
    tax_rates: Type.Optional(
      Type.Record(Country, TaxRate, {
        description: 'Tax rates by country of the buyer, if the seller owes tax there: { AT: "0.20" }',
      }),
    ),
    seller: Type.Optional(SellerSchema),
    business_prices: Type.Optional(
      Type.Enum(['gross', 'net'], {
        description:
          'Prices for businesses with a valid VAT id: `net` deducts the tax of tax_rate from the prices and adds the tax due; `gross`, the default, leaves the prices as they are',
      }),
    ),
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
        ...DiskSpeed,
        bandwidth_gb: Type.Optional(UnitVolumes),
        traffic_per_gb: Type.Optional({
          ...Price,
          description: 'Price per GB sent beyond bandwidth_gb; defaults to that of `usage`',
        }),
        ...trafficEndFields('that of `usage`'),
        price_monthly: UnitPrices,
        price_hourly: Type.Optional(UnitPricesHourly),
        prices: Type.Optional(
          Type.Array(
            Type.Object(
              { ...priceDates, price_monthly: UnitPrices, price_hourly: Type.Optional(UnitPricesHourly) },
              closed,
            ),
            { description: 'Future prices, earliest first' },
          ),
        ),
      },
      { ...closed, description: 'Custom configurations' },
    ),
    add_ons: Type.Optional(
      Type.Array(AddOnSchema, {
        maxItems: MAX_ADD_ONS,
        description:
          'Sold with a VM, by the month. List them only once all nodes run a release that supports them: older ones neither renew nor refund them',
      }),
    ),
    price_notice_days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_PRICE_NOTICE_DAYS,
        description:
          'How long before a renewal at a higher price the owner of a VM is notified; without that notice, the VM renews at the old price. Defaults to 0, which means no notice',
      }),
    ),
    limits: LimitsSchema,
    grace: Type.Object(
      {
        suspend_after_hours: Positive,
        held_hours: Type.Optional({
          ...Positive,
          description:
            'How long before the end of its period a VM must have had its size to get this grace period: a VM upgraded later is suspended at the end. Defaults to suspend_after_hours',
        }),
        delete_after_days: Positive,
      },
      {
        ...closed,
        description: 'How long an unpaid VM keeps running, and how long its data is kept after suspension',
      },
    ),
    grace_once_months: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_GRACE_MONTHS,
        description:
          'An account gets the grace period once in this many months; VMs that fall due later are suspended at the end of their periods. Defaults to 0, which means always',
      }),
    ),
    debt: Type.Optional(
      Type.Object(
        {
          suspend_after_hours: {
            ...Positive,
            description: 'How long after the warning the VMs of an account in debt are suspended',
          },
        },
        {
          ...closed,
          description:
            'Consequence of a debt, in addition to blocking purchases: if absent, none; otherwise the VMs of the account are suspended',
        },
      ),
    ),
    restart: Type.Optional(RestartSchema),
    address_quarantine_hours: Type.Integer({
      minimum: 0,
      description: 'Time before a released address is reused',
    }),
    usage: Type.Optional(
      Type.Object(
        {
          traffic_per_gb: Type.Optional({
            ...Price,
            description: 'Price per GB sent beyond the traffic included in the plan; free if absent',
          }),
          snapshot_gb_month: Type.Optional({
            ...Price,
            description: 'Price per GB and month of stored snapshots; free if absent',
          }),
          ...trafficEndFields('`bill`'),
          max_unpaid_minor: Type.Optional(MaxUnpaid),
        },
        {
          ...closed,
          description:
            'Prices of usage, which is charged with the renewal, and the consequences of its bounds',
        },
      ),
    ),
    top_up: Type.Optional(TopUpSchema),
    sla: Type.Optional(SlaSchema),
    datev: Type.Optional(DatevSchema),
  },
  { ...closed, title: 'Vauban catalog' },
);

export type Catalog = Static<typeof CatalogSchema>;
export type Plan = Static<typeof PlanSchema>;
export type AddOnForSale = Static<typeof AddOnSchema>;
export type Region = Static<typeof RegionSchema>;
export type Template = Static<typeof TemplateSchema>;
export type Limits = Static<typeof LimitsSchema>;
export type { Seller } from './seller-schema.ts';
export type Range = Static<typeof Range>;
