import type { Queryable } from '../../db/database.ts';
import { allocateAddress, ensurePools, poolsWithRoom } from '../../db/queries/vms/addresses.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Catalog, Region } from '../catalog/catalog-schema.ts';

const HOUR_MS = 3_600_000;

export interface VmAddresses {
  ipv4: string;
  ipv6: string;
}

const poolName = (region: Region, family: 4 | 6) => `${region.code}-v${family}`;

/** Creates the pools of the catalog's regions in the database, or widens them after the catalog has changed. */
export function ensureRegionPools(db: Queryable, { regions }: Pick<Catalog, 'regions'>): Promise<void> {
  const pools = regions.flatMap((region) => [
    { name: poolName(region, 4), network: region.ipv4_pool },
    { name: poolName(region, 6), network: region.ipv6_pool },
  ]);
  return ensurePools(db, pools);
}

/** Addresses released before this instant may be used again. */
const quarantineStart = (
  { address_quarantine_hours }: Pick<Catalog, 'address_quarantine_hours'>,
  now: Date,
) => new Date(now.getTime() - address_quarantine_hours * HOUR_MS);

/** Returns the codes of the regions that currently have an address of each family for a VM. */
export async function regionsWithAddresses(db: Queryable, catalog: Catalog, now: Date): Promise<Set<string>> {
  const pools = await poolsWithRoom(db, quarantineStart(catalog, now));
  const hasBoth = (region: Region) => pools.has(poolName(region, 4)) && pools.has(poolName(region, 6));
  return new Set(catalog.regions.filter(hasBoth).map(({ code }) => code));
}

/**
 * Allocates an address of each family to a VM from its region's pools; throws `capacity_unavailable` if there is none.
 */
export async function allocateAddresses(
  db: Queryable,
  catalog: Catalog,
  region: Region,
  vmId: string,
  now: Date,
): Promise<VmAddresses> {
  const restedSince = quarantineStart(catalog, now);
  const take = async (family: 4 | 6) => {
    const address = await allocateAddress(db, poolName(region, family), vmId, restedSince);
    if (address) return address;
    throw new ApiError('capacity_unavailable', `Region ${region.code} has no free IPv${family} address.`, {
      retry_after_seconds: 3600,
    });
  };
  const [ipv4, ipv6] = await Promise.all([take(4), take(6)]);
  return { ipv4, ipv6 };
}
