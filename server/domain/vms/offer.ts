import type { EngineTemplate, HostInfo } from '../../compute/driver.ts';
import { ApiError, invalidField } from '../../platform/errors.ts';
import type { Catalog, Region, Template } from '../catalog/catalog-schema.ts';
import { findRegion } from '../catalog/lookup.ts';
import { zonesOn } from '../hosts/known-host.ts';
import { requireTemplate } from './configuration.ts';

/** What the engine says to an order, or the refusals to answer with where it says nothing. */
export interface EngineOffer {
  hosts: readonly HostInfo[] | ApiError;
  /** Of the template that is asked for; undefined where there is nothing to make it of. */
  template: EngineTemplate | ApiError | undefined;
}

/** Zones of the region that hosts are in, whether or not they have room; all while the engine does not say. */
function servedZones({ zones }: Region, hosts: readonly HostInfo[] | ApiError): string[] {
  if (hosts instanceof ApiError) return zones;
  return zones.filter((zone) => hosts.some((host) => zonesOn(host, [zone]).length > 0));
}

/**
 * A region, by default the catalog's, and its zones of which a VM can be in any: the one that is asked for, or those that
 * hosts are in. Refuses one that is not there or has no host.
 */
export function requireServed(
  catalog: Catalog,
  { region: code, zone }: { region?: string; zone?: string },
  hosts: readonly HostInfo[] | ApiError,
): { region: Region; zones: string[] } {
  const region = findRegion(catalog, code ?? catalog.default_region);
  if (!region) throw invalidField('region', 'unknown', `there is no region ${code}`);
  if (zone !== undefined && !region.zones.includes(zone))
    throw invalidField('zone', 'unknown', `region ${region.code} has no zone ${zone}`);
  const zones = servedZones(region, hosts);
  if (zones.length === 0)
    throw invalidField('region', 'not_available', `no VM can be made in region ${region.code} at present`);
  if (zone !== undefined && !zones.includes(zone))
    throw invalidField('zone', 'not_available', `no VM can be made in zone ${zone} at present`);
  return { region, zones: zone === undefined ? zones : [zone] };
}

/** A template that can be chosen and that there is an image of, with the smallest disk that both say. */
export function requireImage(catalog: Catalog, code: string, { template: found }: EngineOffer): Template {
  const template = requireTemplate(catalog, code);
  if (found === undefined)
    throw invalidField('template', 'not_available', `there is no image of ${template.code} at present`);
  if (found instanceof ApiError) return template;
  return { ...template, min_disk_gb: Math.max(template.min_disk_gb, found.minDiskGb) };
}
