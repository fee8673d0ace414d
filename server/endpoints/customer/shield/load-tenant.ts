import type { Queryable } from '../../../db/database.ts';
import {
  findTarget,
  lockTarget,
  type TargetRow,
  type TargetView,
} from '../../../db/queries/shield/shield-targets.ts';
import { findTenant, type TenantRow } from '../../../db/queries/shield/shield-tenants.ts';
import type { Caller } from '../../../http/endpoint.ts';
import { PathId } from '../../../http/schemas.ts';
import type { EndpointServices } from '../../../http/services.ts';
import { notFound } from '../../../platform/errors.ts';
import { type Static, Type } from '../../../platform/schema.ts';

const tid = PathId('ten', 'DDoS Shield tenant identifier');

export const TenantParams = Type.Object({ tid });
export const TargetParams = Type.Object({
  tid,
  id: PathId('tgt', 'Protected IP (target) identifier'),
});

interface Request<P> {
  caller: Caller;
  params: P;
  db: Queryable;
  services: EndpointServices;
}

/** Returns the tenant in the path if it belongs to the caller. */
export async function loadTenant({
  caller,
  params,
  db,
}: Request<Static<typeof TenantParams>>): Promise<TenantRow> {
  const tenant = await findTenant(db, caller.accountId, params.tid);
  if (!tenant) throw notFound();
  return tenant;
}

/** Returns the target in the path if its tenant belongs to the caller. */
export async function loadTarget(request: Request<Static<typeof TargetParams>>): Promise<TargetView> {
  const tenant = await loadTenant(request);
  const { db, params, services } = request;
  const target = await findTarget(db, tenant.id, params.id, services.clock.now());
  if (!target) throw notFound();
  return target;
}

/** Returns the same target, locked until the transaction ends. For every operation that changes its rules. */
export async function loadTargetForChange(request: Request<Static<typeof TargetParams>>): Promise<TargetRow> {
  const tenant = await loadTenant(request);
  const target = await lockTarget(request.db, tenant.id, request.params.id);
  if (!target) throw notFound();
  return target;
}
