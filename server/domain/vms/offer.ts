import type { EngineCapacity, EngineTemplate } from '../../compute/driver.ts';
import { ApiError, invalidField } from '../../platform/errors.ts';
import type { Catalog, Region, Template } from '../catalog/catalog-schema.ts';
import { findRegion } from '../catalog/lookup.ts';
import { requireTemplate } from './configuration.ts';

/** What the engine says to an order, or the refusals to answer with where it says nothing. */
export interface EngineOffer {
  capacity: EngineCapacity | ApiError;
  /** Of the template that is asked for; undefined where there is nothing to make it of. */
  template: EngineTemplate | ApiError | undefined;
}

/** Zones of the region that the engine's guests can be in; all while the engine does not say. */
export function servedZones({ zones }: Region, capacity: EngineCapacity | ApiError): string[] {
  const served = capacity instanceof ApiError ? null : capacity.zones;
  return served ? zones.filter((zone) => served.includes(zone)) : zones;
}

/** A region, by default the catalog's, with a zone that VMs can be made in; refuses one that is not there or not served. */
export function requireServed(
  catalog: Catalog,
  { region: code, zone }: { region?: string; zone?: string },
  capacity: EngineCapacity | ApiError,
): { region: Region; zone: string } {
  const region = findRegion(catalog, code ?? catalog.default_region);
  if (!region) throw invalidField('region', 'unknown', `there is no region ${code}`);
  if (zone !== undefined && !region.zones.includes(zone))
    throw invalidField('zone', 'unknown', `region ${region.code} has no zone ${zone}`);
  const [first, ...others] = servedZones(region, capacity);
  if (first === undefined)
    throw invalidField('region', 'not_available', `no VM can be made in region ${region.code} at present`);
  if (zone !== undefined && zone !== first && !others.includes(zone))
    throw invalidField('zone', 'not_available', `no VM can be made in zone ${zone} at present`);
  return { region, zone: zone ?? first };
}

/** A template that can be chosen and that there is an image of, with the smallest disk that both say. */
export function requireImage(catalog: Catalog, code: string, { template: found }: EngineOffer): Template {
  const template = requireTemplate(catalog, code);
  if (found === undefined)
    throw invalidField('template', 'not_available', `there is no image of ${template.code} at present`);
  if (found instanceof ApiError) return template;
  return { ...template, min_disk_gb: Math.max(template.min_disk_gb, found.minDiskGb) };
}
