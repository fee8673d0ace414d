import { type Database, execute, one, type Queryable, sql } from '../../database.ts';
import type { PortForwardRow } from './network.ts';
import { systemFindVm } from './vms.ts';

export type ForwardRow = Pick<
  PortForwardRow,
  'id' | 'vm_id' | 'protocol' | 'public_ip' | 'external_port' | 'internal_ip' | 'internal_port' | 'status'
> & {
  /**
   * True if it should be in force: it is not being removed, and its target address still belongs to the VM. If the VM
   * could not be created, its address may belong to another by now.
   */
  is_wanted: boolean;
};

/** Returns all port forwards of the given public addresses, oldest first. */
export function forwardsAt(db: Queryable, publicIps: string[]): Promise<ForwardRow[]> {
  return db.query<ForwardRow>(sql`
    select id, vm_id, protocol, public_ip, external_port, internal_ip, internal_port, status,
      status <> 'removing' and exists (
        select from ip_addresses
        where ip_addresses.vm_id = port_forwards.vm_id and address = port_forwards.internal_ip::inet
      ) as is_wanted
    from port_forwards where public_ip = any(${publicIps}::text[]) order by id`);
}

export async function countForwards(db: Queryable): Promise<number> {
  return (await one<{ n: number }>(db, sql`select count(*)::int as n from port_forwards`)).n;
}

/**
 * Records that a gateway has applied a VM's forwards: of `rows`, as read before, marks some active and deletes those
 * that were being removed.
 */
export async function settleForwards(db: Database, vmId: string, rows: ForwardRow[]): Promise<void> {
  const gone = rows.filter(({ status }) => status === 'removing').map(({ id }) => id);
  const active = rows.filter(({ status }) => status !== 'removing').map(({ id }) => id);
  await db.transaction(async (tx) => {
    await systemFindVm(tx, vmId, true);
    await execute(tx, sql`delete from port_forwards where vm_id = ${vmId} and id = any(${gone}::text[])`);
    await execute(
      tx,
      sql`
      update port_forwards set status = 'active'
      where vm_id = ${vmId} and id = any(${active}::text[]) and status in ('pending', 'error')`,
    );
  });
}

/** Records that a gateway could not apply a VM's forwards: the pending ones get status `error`. */
export async function failForwards(db: Database, vmId: string, rows: ForwardRow[]): Promise<void> {
  const pending = rows.filter(({ status }) => status === 'pending').map(({ id }) => id);
  if (pending.length === 0) return;
  await db.transaction(async (tx) => {
    await systemFindVm(tx, vmId, true);
    await execute(
      tx,
      sql`
      update port_forwards set status = 'error'
      where vm_id = ${vmId} and id = any(${pending}::text[]) and status = 'pending'`,
    );
  });
}
