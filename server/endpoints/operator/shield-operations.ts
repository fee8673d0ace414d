import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Queryable } from '../../db/database.ts';
import {
  findTarget,
  listTargets,
  systemFindTarget,
  systemLockTarget,
  TARGET_MODES,
  type TargetMode,
  type TargetRow,
  type TargetView,
} from '../../db/queries/shield-targets.ts';
import {
  insertTenant,
  systemFindTenant,
  systemListTenants,
  type TenantRow,
  tenantIdsOf,
} from '../../db/queries/shield-tenants.ts';
import { pageFrom, paginated } from '../../http/page.ts';
import { Enum, Input, PageQuery } from '../../http/schemas.ts';
import { type OperatorServices, register } from '../../operator/operation.ts';
import { ApiError, invalidField, notFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { Type } from '../../platform/schema.ts';
import {
  addTarget,
  changeMode,
  removeTarget,
  requireRoom,
  TENANTS_PER_ACCOUNT,
} from '../../shield/target.ts';
import { requireAccount } from './account-operations.ts';
import { Line, requireReadable } from './shared/input.ts';

const NewTenant = Input({ name: Line });
const NewTarget = Input({
  ip: Type.String({ maxLength: 45 }),
  mode: Type.Optional(Enum(TARGET_MODES)),
});
const NewMode = Input({ mode: Enum(TARGET_MODES) });

export async function requireTenant(db: Queryable, id: string): Promise<TenantRow> {
  const tenant = await systemFindTenant(db, id);
  if (!tenant) throw notFound();
  return tenant;
}

/** A target that is not on its way out, or `not_found`. */
export async function requireTarget(db: Queryable, id: string): Promise<TargetRow> {
  const target = await systemFindTarget(db, id);
  if (!target || target.removed_at) throw notFound();
  return target;
}

function presentTarget(target: TargetView) {
  return {
    id: target.id,
    tenant_id: target.tenant_id,
    ip: target.ip,
    family: target.family,
    vm_id: target.vm_id,
    mode: target.mode,
    status: target.status,
    rules_count: target.rules_count,
    // What is in the database, and whether the edge has it.
    on_edge: target.mode !== 'off' && target.applied >= target.generation,
    last_attack_at: target.last_attack_at,
    created_at: target.created_at,
  };
}

async function viewOf(services: OperatorServices, { tenant_id, id }: TargetRow) {
  const view = await findTarget(services.db, tenant_id, id, services.clock.now());
  if (!view) throw notFound();
  return presentTarget(view);
}

/** Without an edge no address may be shown as protected. */
function requireEdge({ edge }: OperatorServices, mode: TargetMode): void {
  if (edge.name !== 'off' || mode === 'off') return;
  throw new ApiError(
    'invalid_state',
    'There is no DDoS edge here (VAUBAN_EDGE is off): no address can be protected.',
  );
}

export function registerTenantOperations(app: FastifyInstance, services: OperatorServices): void {
  register(app, services, {
    method: 'POST',
    path: '/accounts/:id/tenants',
    body: NewTenant,
    async handle({ id, body: { name }, services: { clock, db, logger } }) {
      requireReadable('name', name);
      const tenant = { id: newId('ten', clock), account_id: id, name, created_at: clock.now() };
      await db.transaction(async (tx) => {
        await requireAccount(tx, id);
        const { length } = await tenantIdsOf(tx, id);
        requireRoom('shield_tenants_per_account', TENANTS_PER_ACCOUNT, length);
        await insertTenant(tx, tenant);
      });
      logger.info({ account_id: id, tenant_id: tenant.id }, 'shield tenant created');
      return { data: tenant };
    },
  });

  register(app, services, {
    method: 'GET',
    path: '/tenants',
    query: Input(PageQuery),
    async handle({ query, services: { db } }) {
      const page = pageFrom(query);
      return paginated(await systemListTenants(db, page), page, (tenant) => tenant);
    },
  });

  register(app, services, {
    method: 'GET',
    path: '/tenants/:id',
    handle: async ({ id, services: { db } }) => ({ data: await requireTenant(db, id) }),
  });

  register(app, services, {
    method: 'GET',
    path: '/tenants/:id/targets',
    query: Input(PageQuery),
    async handle({ id, query, services: { db, clock } }) {
      await requireTenant(db, id);
      const page = pageFrom(query);
      return paginated(await listTargets(db, id, page, clock.now()), page, presentTarget);
    },
  });
}

export function registerTargetOperations(app: FastifyInstance, services: OperatorServices): void {
  register(app, services, {
    method: 'POST',
    path: '/tenants/:id/targets',
    body: NewTarget,
    async handle({ id, body: { ip, mode = 'always_on' }, services }) {
      const { clock, db, logger, shield } = services;
      requireEdge(services, mode);
      if (isIP(ip) === 0 || ip.includes('%')) {
        throw invalidField('ip', 'format', 'must be an IPv4 or IPv6 address');
      }
      const targetId = await db.transaction(async (tx) => {
        const tenant = await requireTenant(tx, id);
        return addTarget(tx, clock, tenant, { ip, mode });
      });
      shield.kick(targetId);
      logger.info({ tenant_id: id, target_id: targetId }, 'shield target added');
      return { data: await viewOf(services, await requireTarget(db, targetId)) };
    },
  });

  register(app, services, {
    method: 'GET',
    path: '/targets/:id',
    handle: async ({ id, services }) => ({
      data: await viewOf(services, await requireTarget(services.db, id)),
    }),
  });

  register(app, services, {
    method: 'POST',
    path: '/targets/:id/mode',
    body: NewMode,
    async handle({ id, body: { mode }, services }) {
      const { clock, db, logger, shield } = services;
      requireEdge(services, mode);
      const target = await db.transaction(async (tx) => {
        const locked = await systemLockTarget(tx, id);
        if (!locked) throw notFound();
        await changeMode(tx, locked, mode, clock.now());
        return locked;
      });
      shield.kick(id);
      logger.info({ target_id: id, mode }, 'shield target mode changed');
      return { data: await viewOf(services, target) };
    },
  });

  register(app, services, {
    method: 'POST',
    path: '/targets/:id/remove',
    async handle({ id, services: { clock, db, logger, shield } }) {
      await db.transaction(async (tx) => {
        const locked = await systemLockTarget(tx, id);
        if (!locked) throw notFound();
        await removeTarget(tx, locked, clock.now());
      });
      shield.kick(id);
      logger.info({ target_id: id }, 'shield target removed');
      return { data: { id, removed: true } };
    },
  });
}
