import { TARGET_MODES } from '../../../db/queries/shield/shield-targets.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Input } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { addTarget as insertTarget, requireServed } from '../../../shield/target.ts';
import { requireAddress, requireEdge, requireTarget, TargetShape, viewOf } from './target-shape.ts';
import { requireTenant, TenantParams } from './tenant-shape.ts';

export const addTarget = endpoint({
  audience: 'operator',
  operation: 'addTarget',
  method: 'POST',
  path: '/tenants/{id}/targets',
  tag: 'shield',
  summary: "Protect an address of one of the account's VMs",
  params: TenantParams,
  body: Input({
    ip: Type.String({ maxLength: 45, description: 'IPv4 or IPv6 address', examples: ['100.64.0.2'] }),
    mode: Type.Optional(Enum(TARGET_MODES, { description: 'Defaults to `always_on`' })),
  }),
  data: TargetShape,
  errors: ['invalid_state', 'quota_exceeded'],
  async handle({ params: { id }, body: { ip, mode = 'always_on' }, services }) {
    const { clock, db, logger, shield } = services;
    requireEdge(services, mode);
    requireAddress(ip);
    if (mode !== 'off') requireServed(services.edge.capabilities(), ip);
    const targetId = await db.transaction(async (tx) => {
      const tenant = await requireTenant(tx, id);
      return insertTarget(tx, clock, tenant, { ip, mode });
    });
    shield.kick(targetId);
    logger.info({ tenant_id: id, target_id: targetId }, 'shield target added');
    return { data: await viewOf(services, await requireTarget(db, targetId)) };
  },
});
