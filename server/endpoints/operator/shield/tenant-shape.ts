import type { Queryable } from '../../../db/database.ts';
import { systemFindTenant, type TenantRow } from '../../../db/queries/shield/shield-tenants.ts';
import { Id, PathId, Shape, Timestamp } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';

export const TenantParams = Type.Object({ id: PathId('ten', 'Tenant identifier') });

/** Presented as stored. */
export const TenantShape = Shape(
  { id: Id('ten'), account_id: Id('acc'), name: Type.String(), created_at: Timestamp() },
  { $id: 'Tenant', description: 'A DDoS Shield tenant: a group of targets of an account' },
);

/** Returns the tenant, or throws `not_found`. */
export async function requireTenant(db: Queryable, id: string): Promise<TenantRow> {
  const tenant = await systemFindTenant(db, id);
  if (!tenant) throw notFound();
  return tenant;
}
