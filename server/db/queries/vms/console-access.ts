import { type Queryable, sql } from '../../database.ts';
import type { VmStatus } from '../../enums.ts';
import { type Right, readInForce } from '../access/principals.ts';

/** The state on which open consoles depend, for the given VMs and rights. A VM missing from `vms` is deleted. */
export interface ConsoleAccess {
  vms: Map<string, VmStatus>;
  isInForce: (right: Right) => boolean;
}

export async function readConsoleAccess(
  db: Queryable,
  vmIds: string[],
  rights: Right[],
  now: Date,
): Promise<ConsoleAccess> {
  const [vms, isInForce] = await Promise.all([
    vmIds.length === 0
      ? []
      : db.query<{ id: string; status: VmStatus }>(
          sql`select id, status from vms where id = any(${vmIds}::text[]) and deleted_at is null`,
        ),
    readInForce(db, rights, now),
  ]);
  return { vms: new Map(vms.map(({ id, status }) => [id, status])), isInForce };
}
