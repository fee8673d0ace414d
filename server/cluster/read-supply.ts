import { askHosts } from '../compute/ask.ts';
import type { ComputeDriver } from '../compute/driver.ts';
import type { Database } from '../db/database.ts';
import { openHosts } from '../db/queries/hosts/hosts.ts';
import { findReservation } from '../db/queries/vms/reservations.ts';
import { knownHosts, requireReachable } from '../domain/hosts/known-host.ts';
import { Supply } from '../domain/hosts/supply.ts';
import type { Room } from '../domain/vms/decide-change.ts';
import { ApiError } from '../platform/errors.ts';

/** The engine for this node's new VMs, with the name under which they are recorded. */
interface EngineOfNode {
  compute: ComputeDriver;
  db: Database;
  engine: string;
}

/**
 * Returns the hosts' capacity and reservations for display only: what is free now may be sold in a moment. Returns
 * the error to answer with if the engine does not answer. Never call it inside a transaction.
 */
export async function readSupply({ compute, db, engine }: EngineOfNode): Promise<Supply | ApiError> {
  const hosts = await askHosts({ compute });
  return hosts instanceof ApiError ? hosts : Supply.read(db, knownHosts(hosts, await openHosts(db, engine)));
}

/** Returns the supply of a VM's own host and the VM's reservation, for a quote of its change. */
export async function roomFor(
  { compute, db }: EngineOfNode,
  vm: { id: string; host_id: string | null },
): Promise<Room> {
  const reserved = await findReservation(db, vm.id);
  const hosts = await askHosts({ compute });
  if (hosts instanceof ApiError) return { supply: hosts, reserved };
  try {
    const host = { ...requireReachable(hosts, vm.host_id), takesNew: true };
    return { supply: (await Supply.read(db, [host])).hosts[0]!, reserved };
  } catch (error) {
    if (error instanceof ApiError) return { supply: error, reserved };
    throw error;
  }
}
