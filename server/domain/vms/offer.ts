import type { EngineTemplate, HostInfo } from '../../compute/driver.ts';
import { ApiError, invalidField } from '../../platform/errors.ts';
import type { Catalog, Region, Template } from '../catalog/catalog-schema.ts';
import { findRegion } from '../catalog/lookup.ts';
import { zonesOn } from '../hosts/known-host.ts';
import { requireTemplate } from './configuration.ts';

/** The engine's answer for an order, or the errors to respond with if it gives none. */
export interface EngineOffer {
  hosts: readonly HostInfo[] | ApiError;
  /** The requested template; undefined if the engine has no image for it. */
  template: EngineTemplate | ApiError | undefined;
}

/**
 * Returns the zones of the region that have hosts, with or without capacity; all zones if the engine does not answer.
 */
function servedZones({ zones }: Region, hosts: readonly HostInfo[] | ApiError): string[] {
  if (hosts instanceof ApiError) return zones;
  return zones.filter((zone) => hosts.some((host) => zonesOn(host, [zone]).length > 0));
}

/**
 * Returns a region (by default the catalog's) and the zones that the VM may be in: the requested one, or those that
 * have hosts. Refuses regions and zones that do not exist or have no host.
 */
export function requireServed(
  catalog: Catalog,
  { region: code, zone }: { region?: string; zone?: string },
  hosts: readonly HostInfo[] | ApiError,
): { region: Region; zones: string[] } {
  const region = findRegion(catalog, code ?? catalog.default_region);
  if (!region) throw invalidField('region', 'not_found', `there is no region ${code}`);
  if (zone !== undefined && !region.zones.includes(zone))
    throw invalidField('zone', 'not_found', `region ${region.code} has no zone ${zone}`);
  const zones = servedZones(region, hosts);
  if (zones.length === 0)
    throw invalidField(
      'region',
      'not_available',
      `no VMs can be created in region ${region.code} at the moment`,
    );
  if (zone !== undefined && !zones.includes(zone))
    throw invalidField('zone', 'not_available', `no VMs can be created in zone ${zone} at the moment`);
  return { region, zones: zone === undefined ? zones : [zone] };
}

/** Returns a template that can be chosen and has an image, with the larger of their two minimum disk sizes. */
export function requireImage(catalog: Catalog, code: string, { template: found }: EngineOffer): Template {
  const template = requireTemplate(catalog, code);
  if (found === undefined)
    throw invalidField('template', 'not_available', `there is no image of ${template.code} at the moment`);
  if (found instanceof ApiError) return template;
  return { ...template, min_disk_gb: Math.max(template.min_disk_gb, found.minDiskGb) };
}
