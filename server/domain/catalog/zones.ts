import { ConfigError } from '../../platform/config-error.ts';
import type { Catalog } from './catalog-schema.ts';
import { findRegion } from './lookup.ts';

/** Throws {@link ConfigError} where the configuration names zones that the catalog does not. */
export function requireZones({ regions }: Catalog, zones: readonly string[] = []): void {
  const known = new Set(regions.flatMap((region) => region.zones));
  const unknown = zones.filter((zone) => !known.has(zone));
  if (unknown.length > 0)
    throw new ConfigError([`VAUBAN_ZONES: the catalog has no zone ${unknown.join(', ')}`]);
}

/** The first zone of the default region. */
export function firstZone(catalog: Catalog): string {
  return findRegion(catalog, catalog.default_region)!.zones[0]!;
}
