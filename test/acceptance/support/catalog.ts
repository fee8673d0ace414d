import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { parse, stringify } from 'yaml';
import { defer } from '../../support/cleanup.ts';
import { REPOSITORY } from './document.ts';

interface Catalog {
  regions: { zones: string[]; [field: string]: unknown }[];
  plans: { code: string; regions: string[] }[];
}

/** A region with room for one VM and one port forward, where the smallest plan is sold. */
export const TINY_REGION = 'tiny';

/** Settings of a service that sells what is shipped, and the tiny region, in all zones; the file goes with the test. */
export async function withTinyRegion(t: TestContext): Promise<Record<string, string>> {
  const catalog = parse(await readFile(join(REPOSITORY, 'catalog.yaml'), 'utf8')) as Catalog;
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
  const directory = await mkdtemp(join(tmpdir(), 'vauban-catalog-'));
  defer(t, () => rm(directory, { recursive: true }));
  const file = join(directory, 'catalog.yaml');
  await writeFile(file, stringify(catalog));
  const zones = catalog.regions.flatMap((region) => region.zones);
  return { VAUBAN_CATALOG: file, VAUBAN_ZONES: zones.join(',') };
}
