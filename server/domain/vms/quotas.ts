import type { Queryable } from '../../db/database.ts';
import { accountUsage } from '../../db/queries/account-usage.ts';
import { findLimits } from '../../db/queries/accounts.ts';
import { ApiError } from '../../platform/errors.ts';
import { limitsOf } from '../accounts/limits.ts';
import type { Size } from '../billing/pricing.ts';
import type { Catalog, Limits } from '../catalog/catalog-schema.ts';

/** Refuses with `quota_exceeded` when one more would be above the limit. */
export function requireBelow(resource: keyof Limits, limit: number, used: number, more = 1): void {
  if (used + more <= limit) return;
  throw new ApiError('quota_exceeded', `The limit of ${limit} for ${resource} would be exceeded.`, {
    limit,
    used,
    resource,
  });
}

/** An account's limits: the catalog's, with its own on top. */
export async function accountLimits(db: Queryable, catalog: Catalog, accountId: string): Promise<Limits> {
  const limits = await findLimits(db, accountId);
  if (!limits) throw new Error(`account ${accountId} does not exist`);
  return limitsOf(catalog, { limits });
}

/**
 * Room for `more` VMs of a size within the account's limits. The caller holds the wallet's lock, so two
 * creations cannot both take the last place.
 */
export async function requireQuota(
  db: Queryable,
  catalog: Catalog,
  accountId: string,
  more: Size & { vms: number },
): Promise<void> {
  const limits = await accountLimits(db, catalog, accountId);
  const usage = await accountUsage(db, accountId);
  for (const resource of ['vms', 'vcpu', 'ram_mb', 'disk_gb'] as const) {
    if (more[resource] > 0) requireBelow(resource, limits[resource], usage[resource], more[resource]);
  }
}
