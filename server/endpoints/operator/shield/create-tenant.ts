import { insertTenant, tenantIdsOf } from '../../../db/queries/shield/shield-tenants.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import { newId } from '../../../platform/ids.ts';
import { requireRoom, TENANTS_PER_ACCOUNT } from '../../../shield/target.ts';
import { AccountParams } from '../accounts/account-shape.ts';
import { requireAccount } from '../accounts/require-account.ts';
import { Line, requireReadable } from '../shared/input.ts';
import { TenantShape } from './tenant-shape.ts';

export const createTenant = endpoint({
  audience: 'operator',
  operation: 'createTenant',
  method: 'POST',
  path: '/accounts/{id}/tenants',
  tag: 'shield',
  summary: 'Create a DDoS Shield tenant without targets',
  params: AccountParams,
  body: Input({ name: Line('Example Ltd') }),
  data: TenantShape,
  errors: ['quota_exceeded'],
  async handle({ params: { id }, body: { name }, services: { clock, db, logger } }) {
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
