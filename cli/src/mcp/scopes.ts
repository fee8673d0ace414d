import { ApiError, type Client } from '../../../sdk/src/index.ts';

const nothing = (prefix: string) => `${prefix}_${'0'.repeat(26)}`;
const VM = nothing('vm');
const TENANT = nothing('ten');

/**
 * One request per scope that changes nothing even if it is allowed: it only reads, or names something that does not
 * exist. The service checks the scope first.
 */
const PROBES: Record<string, (client: Client) => Promise<unknown>> = {
  'catalog:read': (client) => client.catalog.prices(),
  'vm:read': (client) => client.vms.list({ limit: 1 }).page(),
  'vm:write': (client) => client.vms.start(VM),
  'vm:create': (client) => client.vms.create({} as never),
  'vm:plan': (client) => client.vms.changePlan(VM, { plan: 'none' }),
  'vm:destroy': (client) => client.vms.delete(VM),
  'vm:console': (client) => client.consoles.screenTicket(VM),
  'sshkey:read': (client) => client.sshKeys.list({ limit: 1 }).page(),
  'sshkey:write': (client) => client.sshKeys.delete(nothing('key')),
  'billing:read': (client) => client.billing.wallet(),
  'shield:read': (client) => client.shield.summary(TENANT),
  'shield:write': (client) => client.shield.deleteRule(TENANT, nothing('tgt'), nothing('rul')),
};

/** Returns which of these scopes the key has. The API has no list of them, so each one is tried. */
export async function heldScopes(client: Client, asked: Iterable<string>): Promise<Set<string>> {
  const held = await Promise.all(
    [...new Set(asked)].map(async (scope) => ((await isHeld(client, scope)) ? [scope] : [])),
  );
  return new Set(held.flat());
}

async function isHeld(client: Client, scope: string): Promise<boolean> {
  try {
    await PROBES[scope]!(client);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'scope_required') return false;
    if (error.status === 401 || error.status === 429 || error.status >= 500) throw error;
    // "Not found" or "invalid body": the request has passed the scope check.
    return true;
  }
}
