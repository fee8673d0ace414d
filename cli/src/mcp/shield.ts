import type { Client } from '../../../sdk/src/index.ts';
import { EXIT, Failure } from '../failure.ts';
import { idOf } from '../names.ts';

export const TENANT = {
  tenant: {
    type: 'string',
    description: 'The id of the Shield tenant; optional if the account has only one',
    optional: true,
  },
};
export const TARGET = { target: { type: 'string', description: 'A protected address, or its id' } };

/** Returns the id of the tenant; by default the account's only one. */
export async function tenantOf(client: Client, given: unknown): Promise<string> {
  if (given !== undefined) return given as string;
  const { shield_tenant_ids: ids } = await client.billing.summary();
  if (ids.length === 1) return ids[0]!;
  const why = ids.length === 0 ? 'The account has no DDoS Shield.' : `Choose a tenant: ${ids.join(', ')}.`;
  throw new Failure(EXIT.refused, why);
}

/** Returns the ids of the tenant and of the protected address. */
export async function targetOf(
  client: Client,
  { tenant, target }: Record<string, unknown>,
): Promise<[tenant: string, target: string]> {
  const tenantId = await tenantOf(client, tenant);
  return [tenantId, await idOf(client, 'targets', target as string, [tenantId])];
}
