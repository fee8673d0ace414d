import type { Queryable } from '../../db/database.ts';
import { findLimits } from '../../db/queries/access/accounts.ts';
import { accountUsage, type Usage } from '../../db/queries/vms/account-usage.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Size } from '../billing/pricing.ts';
import type { Catalog, Limits } from '../catalog/catalog-schema.ts';

/** Throws `quota_exceeded` if `more` would exceed the limit. */
export function requireBelow(resource: keyof Limits, limit: number, used: number, more = 1): void {
  if (used + more <= limit) return;
  throw new ApiError('quota_exceeded', `The limit of ${limit} for ${resource} would be exceeded.`, {
    limit,
    used,
    resource,
  });
}

/** Returns an account's limits: the catalog's, overridden by its own. */
export async function accountLimits(db: Queryable, catalog: Catalog, accountId: string): Promise<Limits> {
  const limits = await findLimits(db, accountId);
  if (!limits) throw new Error(`account ${accountId} does not exist`);
  return limitsOf(catalog, { limits });
}

/** The limits of an account, and the total usage of its VMs. */
export interface Quota {
  limits: Limits;
  usage: Usage;
}

/**
 * Reads an account's quota. The caller's transaction must have locked the wallet first, so that two creations cannot
 * both use the last of the quota.
 */
export async function readQuota(db: Queryable, catalog: Catalog, accountId: string): Promise<Quota> {
  const [limits, usage] = await Promise.all([
    accountLimits(db, catalog, accountId),
    accountUsage(db, accountId),
  ]);
  return { limits, usage };
}

/** Refuses `more` VMs and resources if they would exceed the account's limits. */
export function requireQuota({ limits, usage }: Quota, more: Size & { vms: number }): void {
  for (const resource of ['vms', 'vcpu', 'ram_mb', 'disk_gb'] as const) {
    if (more[resource] > 0) requireBelow(resource, limits[resource], usage[resource], more[resource]);
  }
}

/** Returns the quotas of an account: the catalog's, overridden by those that an operator has granted. */
export function limitsOf(catalog: Pick<Catalog, 'limits'>, account: { limits: Partial<Limits> }): Limits {
  return { ...catalog.limits, ...account.limits };
}
