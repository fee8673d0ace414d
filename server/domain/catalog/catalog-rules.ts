import { isIP } from 'node:net';
import { isCurrency } from '../../../shared/currencies.ts';
import { addressMatcher, parseCidr } from '../../platform/cidr.ts';
import type { KeyPath } from '../../platform/yaml-file.ts';
import { MAX_USAGE_PRICE_MINOR, microsToMinor, parseMicros } from '../billing/money.ts';
import { vatIdProblem } from '../tax/billing-profile.ts';
import { isCountry, notACountry } from '../tax/countries.ts';
import { atRate } from './buyer-prices.ts';
import type { Catalog } from './catalog-schema.ts';
import { hourlyFaults } from './hourly-rules.ts';
import { priceFaults } from './price-rules.ts';
import { slaFaults } from './sla-schema.ts';
import { topUpFaults } from './top-up-schema.ts';
import { trafficFaults } from './traffic-end.ts';

/** A value that satisfies the catalog's schema but makes no sense. */
export interface CatalogFault {
  path: KeyPath;
  reason: string;
}

/** Network, gateway, one VM, broadcast. */
const SMALLEST_POOL_BITS = 2;

/** Returns every contradiction between the parts of a catalog, each of which already satisfies the schema. */
export function catalogFaults(catalog: Catalog): CatalogFault[] {
  return [
    ...moneyFaults(catalog),
    ...slaFaults(catalog.sla?.credits),
    ...taxFaults(catalog),
    ...duplicateFaults(catalog),
    ...regionReferenceFaults(catalog),
    ...rangeFaults(catalog),
    ...trafficFaults(catalog),
    ...poolFaults(catalog),
    ...portForwardFaults(catalog),
    ...templateFaults(catalog),
  ];
}

/** Amounts have no meaning in a currency whose decimals are unknown. */
function moneyFaults(catalog: Catalog): CatalogFault[] {
  const { currency } = catalog;
  if (!isCurrency(currency))
    return [{ path: ['currency'], reason: `${currency} is not a currency of ISO 4217` }];
  const faults = [...priceFaults(catalog), ...usageFaults(catalog)];
  return [
    ...(faults.length > 0 ? faults : dearestFaults(catalog)),
    ...hourlyFaults(catalog),
    ...topUpFaults(catalog),
  ];
}

/** Checks the highest net prices: those for businesses in the country with the highest rate. */
function dearestFaults(catalog: Catalog): CatalogFault[] {
  const { business_prices, tax_rate, tax_rates = {} } = catalog;
  if (business_prices !== 'net') return [];
  const byRate = [tax_rate, ...Object.values(tax_rates)].sort((a, b) =>
    Number(parseMicros(b) - parseMicros(a)),
  );
  const dearest = atRate(catalog, byRate[0]!);
  return [...priceFaults(dearest), ...usageFaults(dearest)];
}

/** Bounds usage prices so that a month's usage of the fastest guest still fits an amount. */
function* usageFaults({ currency, plans, custom, usage = {} }: Catalog): Generator<CatalogFault> {
  const prices: [KeyPath, string | undefined][] = [
    [['usage', 'traffic_per_gb'], usage.traffic_per_gb],
    [['usage', 'snapshot_gb_month'], usage.snapshot_gb_month],
    [['custom', 'traffic_per_gb'], custom.traffic_per_gb],
    ...plans.map((plan, index): [KeyPath, string | undefined] => [
      ['plans', index, 'traffic_per_gb'],
      plan.traffic_per_gb,
    ]),
  ];
  for (const [path, price] of prices) {
    if (price === undefined || microsToMinor(parseMicros(price), currency) <= MAX_USAGE_PRICE_MINOR) continue;
    yield {
      path,
      reason: `${price} is more than ${MAX_USAGE_PRICE_MINOR} of the smallest units of ${currency} per GB`,
    };
  }
}

/** Invoices must show a tax number of the seller, and tax rates only exist for countries. */
function* taxFaults({ seller, tax_rates = {} }: Catalog): Generator<CatalogFault> {
  for (const country of Object.keys(tax_rates)) {
    if (!isCountry(country)) yield { path: ['tax_rates', country], reason: notACountry(country) };
  }
  if (!seller) return;
  const { country, vat_id, tax_number } = seller;
  if (!isCountry(country)) {
    yield { path: ['seller', 'country'], reason: notACountry(country) };
    return;
  }
  if (vat_id === undefined && tax_number === undefined)
    yield { path: ['seller'], reason: 'needs a vat_id or a tax_number' };
  const problem = vat_id !== undefined && vatIdProblem(country, vat_id);
  if (problem) yield { path: ['seller', 'vat_id'], reason: problem };
}

function* duplicateFaults({ add_ons = [], plans, regions, templates }: Catalog): Generator<CatalogFault> {
  const codes = (list: string, items: { code: string }[]) =>
    items.map(({ code }, index) => ({ path: [list, index, 'code'], value: code }));
  yield* repeated('code', codes('plans', plans));
  yield* repeated('code', codes('add_ons', add_ons));
  yield* repeated('code', codes('regions', regions));
  yield* repeated('code', codes('templates', templates));
  // A zone's code names its region too, so it is unique over all regions.
  const zones = regions.flatMap((region, index) =>
    region.zones.map((value, zone) => ({ path: ['regions', index, 'zones', zone], value })),
  );
  yield* repeated('zone', zones);
}

function* repeated(what: string, entries: { path: KeyPath; value: string }[]): Generator<CatalogFault> {
  const seen = new Set<string>();
  for (const { path, value } of entries) {
    if (seen.has(value)) yield { path, reason: `the ${what} ${value} is used twice` };
    seen.add(value);
  }
}

function* regionReferenceFaults({ default_region, plans, regions }: Catalog): Generator<CatalogFault> {
  const known = new Set(regions.map((region) => region.code));
  if (!known.has(default_region))
    yield { path: ['default_region'], reason: `there is no region ${default_region}` };
  for (const [index, plan] of plans.entries()) {
    const entries = plan.regions.map((value, at) => ({ path: ['plans', index, 'regions', at], value }));
    yield* repeated('region', entries);
    for (const { path, value } of entries) {
      if (!known.has(value)) yield { path, reason: `there is no region ${value}` };
    }
  }
}

function* rangeFaults({ custom, regions }: Catalog): Generator<CatalogFault> {
  for (const name of ['vcpu', 'ram_mb', 'disk_gb'] as const) {
    const { min, max, step } = custom[name];
    if (min > max) yield { path: ['custom', name, 'max'], reason: `must not be less than min, ${min}` };
    else if ((max - min) % step !== 0) {
      yield { path: ['custom', name, 'step'], reason: `steps of ${step} from ${min} do not reach ${max}` };
    }
  }
  for (const [index, { port_forward_range: range }] of regions.entries()) {
    if (range.from <= range.to) continue;
    yield {
      path: ['regions', index, 'port_forward_range', 'to'],
      reason: `must not be less than from, ${range.from}`,
    };
  }
}

function* poolFaults({ regions }: Catalog): Generator<CatalogFault> {
  const sound: { cidr: string; address: string; region: string }[] = [];
  for (const [index, region] of regions.entries()) {
    for (const [key, family] of [
      ['ipv4_pool', 4],
      ['ipv6_pool', 6],
    ] as const) {
      const cidr = region[key];
      const path = ['regions', index, key];
      const reason = poolFault(cidr, family);
      if (reason) {
        yield { path, reason };
        continue;
      }
      const address = cidr.split('/')[0]!;
      const other = sound.find(
        (pool) => addressMatcher([pool.cidr])(address) || addressMatcher([cidr])(pool.address),
      );
      if (other) yield { path, reason: `overlaps ${other.cidr} of region ${other.region}` };
      sound.push({ cidr, address, region: region.code });
    }
  }
}

function poolFault(text: string, family: 4 | 6): string | undefined {
  const cidr = parseCidr(text);
  if (cidr?.family !== family) return `must be an IPv${family} CIDR, not "${text}"`;
  if (cidr.hasHostBits) return `${text} has bits set to the right of its prefix`;
  const bits = (family === 4 ? 32 : 128) - cidr.prefix;
  if (bits < SMALLEST_POOL_BITS) return `${text} is too small for a gateway and a VM`;
  return undefined;
}

function* portForwardFaults({ regions }: Catalog): Generator<CatalogFault> {
  const pools = regions.flatMap((region) => [region.ipv4_pool, region.ipv6_pool]).filter(parseCidr);
  const inPool = addressMatcher(pools);
  const entries = regions.map((region, index) => ({
    path: ['regions', index, 'port_forward_address'],
    value: region.port_forward_address,
  }));
  yield* repeated('address', entries);
  for (const { path, value } of entries) {
    if (isIP(value) !== 4) yield { path, reason: `must be an IPv4 address, not "${value}"` };
    else if (inPool(value))
      yield { path, reason: `${value} is in a pool from which VMs get their addresses` };
  }
}

/** An image that fits nothing on sale is a typo. */
function* templateFaults({ custom, plans, templates }: Catalog): Generator<CatalogFault> {
  const onSale = plans.filter((plan) => !plan.deprecated);
  const sizes = [...onSale, { ram_mb: custom.ram_mb.max, disk_gb: custom.disk_gb.max }];
  for (const [index, template] of templates.entries()) {
    const fits = sizes.some(
      (size) => size.ram_mb >= template.min_ram_mb && size.disk_gb >= template.min_disk_gb,
    );
    if (!fits)
      yield { path: ['templates', index], reason: `nothing for sale is large enough for ${template.code}` };
  }
}
