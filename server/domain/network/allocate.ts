import type { Queryable } from '../../db/database.ts';
import { allocateAddress } from '../../db/queries/addresses.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Catalog, Region } from '../catalog/catalog-schema.ts';

const HOUR_MS = 3_600_000;

export interface VmAddresses {
  ipv4: string;
  ipv6: string;
}

/** Names of a region's pools in the store. */
export const poolName = (region: Region, family: 4 | 6) => `${region.code}-v${family}`;

/** Gives a VM one address of each family from its region's pools, or refuses with `capacity_unavailable`. */
export async function allocateAddresses(
  db: Queryable,
  catalog: Catalog,
  region: Region,
  vmId: string,
  now: Date,
): Promise<VmAddresses> {
  const restedSince = new Date(now.getTime() - catalog.address_quarantine_hours * HOUR_MS);
  const take = async (family: 4 | 6) => {
    const address = await allocateAddress(db, poolName(region, family), vmId, restedSince);
    if (address) return address;
    throw new ApiError('capacity_unavailable', `Region ${region.code} has no free IPv${family} address.`, {
      retry_after_seconds: 3600,
    });
  };
  return { ipv4: await take(4), ipv6: await take(6) };
}
