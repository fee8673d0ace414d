import type { Queryable } from '../../db/database.ts';
import { foreignCurrency } from '../../db/queries/money/wallets.ts';
import { ConfigError } from '../../platform/config-error.ts';
import { readYaml } from '../../platform/yaml-file.ts';
import { catalogFaults } from './catalog-rules.ts';
import { type Catalog, CatalogSchema } from './catalog-schema.ts';
import { findRegion } from './lookup.ts';

/** Reads the catalog file at `path`. Throws {@link ConfigError} with every error and its line. */
export function loadCatalog(path: string): Catalog {
  const file = readYaml(path, CatalogSchema);
  const problems = catalogFaults(file.value).map((fault) => file.problem(fault.path, fault.reason));
  if (problems.length > 0) throw new ConfigError(problems);
  return file.value;
}

/**
 * Throws {@link ConfigError} if wallets have a currency other than the catalog's: every amount would be read as the
 * same number of units of the catalog's currency.
 */
export async function requireCurrency(db: Queryable, { currency }: Pick<Catalog, 'currency'>): Promise<void> {
  const other = await foreignCurrency(db, currency);
  if (other)
    throw new ConfigError([
      `catalog: sells in ${currency}, but the wallets are in ${other}: one installation has one currency`,
    ]);
}

/** Throws {@link ConfigError} if the configuration names zones that the catalog does not have. */
export function requireZones({ regions }: Catalog, zones: readonly string[], setting: string): void {
  const known = new Set(regions.flatMap((region) => region.zones));
  const unknown = zones.filter((zone) => !known.has(zone));
  if (unknown.length > 0)
    throw new ConfigError([`${setting}: the catalog has no zone ${unknown.join(', ')}`]);
}

export function firstZone(catalog: Catalog): string {
  return findRegion(catalog, catalog.default_region)!.zones[0]!;
}
