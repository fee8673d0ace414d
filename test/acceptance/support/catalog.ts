import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { parse, stringify } from 'yaml';
import { defer } from '../../support/cleanup.ts';
import { REPOSITORY } from './document.ts';
import { ENGINE } from './engine.ts';

export interface Catalog {
  regions: Region[];
  plans: { code: string; regions: string[] }[];
}

interface Region {
  zones: string[];
  ipv6_pool: string;
  port_forward_address: string;
  port_forward_range: { from: number; to: number };
  [field: string]: unknown;
}

/** A region with space for one VM and one port forward, which sells the smallest plan. */
export const TINY_REGION = 'tiny';

/**
 * Returns settings of a service that sells the shipped catalog and the tiny region, in all zones. The test's end
 * deletes the file.
 */
export async function withTinyRegion(t: TestContext): Promise<Record<string, string>> {
  const catalog = await shippedCatalog();
  catalog.regions.push({
    code: TINY_REGION,
    name: 'Tiny',
    country: 'LI',
    zones: ['tiny-a'],
    ipv4_pool: '100.72.0.0/30',
    ipv6_pool: '2001:db8:3::/126',
    port_forward_address: '192.0.2.30',
    port_forward_range: { from: 20_000, to: 20_000 },
  });
  catalog.plans.find(({ code }) => code === 's1')!.regions.push(TINY_REGION);
  if (ENGINE === 'incus') shareNetwork(catalog);
  const zones = catalog.regions.flatMap((region) => region.zones);
  return { VAUBAN_CATALOG: await writeCatalog(t, catalog), VAUBAN_ZONES: zones.join(',') };
}

export async function shippedCatalog(): Promise<Catalog> {
  return parse(await readFile(join(REPOSITORY, 'catalog.yaml'), 'utf8')) as Catalog;
}

/**
 * Normally each region has its own cluster. Here one cluster serves all, and its bridge has a single IPv6 network,
 * because Incus assigns addresses from a /64.
 */
export function shareNetwork({ regions }: Catalog): void {
  for (const [index, region] of regions.entries())
    region.ipv6_pool = region.ipv6_pool
      .replace(/^.*\//, `2001:db8:1:0:${index + 1}::/`)
      .replace('/48', '/80');
}

/** Writes the catalog to a file and returns its path. */
export async function writeCatalog(t: TestContext, catalog: Catalog): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'vauban-catalog-'));
  defer(t, () => rm(directory, { recursive: true }));
  const file = join(directory, 'catalog.yaml');
  await writeFile(file, stringify(catalog));
  return file;
}
