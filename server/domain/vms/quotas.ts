import type { Queryable } from '../../db/database.ts';
import { accountUsage, type Usage } from '../../db/queries/account-usage.ts';
import { findLimits } from '../../db/queries/accounts.ts';
import { ApiError } from '../../platform/errors.ts';
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

/** What an account's VMs may take together, and what they take. */
export interface Quota {
  limits: Limits;
  usage: Usage;
}

/**
 * Reads an account's quota. It is read behind the wallet's lock, which the caller's transaction takes first, so that two
 * creations cannot both take the last place.
 */
export async function readQuota(db: Queryable, catalog: Catalog, accountId: string): Promise<Quota> {
  const [limits, usage] = await Promise.all([
    accountLimits(db, catalog, accountId),
    accountUsage(db, accountId),
  ]);
  return { limits, usage };
}

/** Refuses `more` VMs of a size where they are above the account's limits. */
export function requireQuota({ limits, usage }: Quota, more: Size & { vms: number }): void {
  for (const resource of ['vms', 'vcpu', 'ram_mb', 'disk_gb'] as const) {
    if (more[resource] > 0) requireBelow(resource, limits[resource], usage[resource], more[resource]);
  }
}

/** The quotas of an account: the catalog's, with the ones that an operator granted it on top. */
export function limitsOf(catalog: Pick<Catalog, 'limits'>, account: { limits: Partial<Limits> }): Limits {
  return { ...catalog.limits, ...account.limits };
}
