import { type Queryable, sql } from '../database.ts';
import type { VmStatus } from '../enums.ts';
import { isKeyInForce } from './api-keys.ts';

/** What consoles stand on, of the VMs and keys given: a VM that is missing is deleted, a key not in force. */
export interface ConsoleAccess {
  vms: Map<string, VmStatus>;
  keys: Set<string>;
}

export async function readConsoleAccess(
  db: Queryable,
  vmIds: string[],
  keyIds: string[],
  now: Date,
): Promise<ConsoleAccess> {
  const rows = await db.query<{ id: string; status: VmStatus | null }>(sql`
    select id, status from vms where id = any(${vmIds}::text[]) and deleted_at is null
    union all
    select id, null from api_keys where id = any(${keyIds}::text[]) and ${isKeyInForce(now)}`);
  return {
    vms: new Map(rows.flatMap(({ id, status }) => (status === null ? [] : [[id, status]]))),
    keys: new Set(rows.flatMap(({ id, status }) => (status === null ? [id] : []))),
  };
}
