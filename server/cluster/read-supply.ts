import { askCapacity } from '../compute/ask.ts';
import type { ComputeDriver } from '../compute/driver.ts';
import type { Database } from '../db/database.ts';
import { findReservation } from '../db/queries/reservations.ts';
import type { Room } from '../domain/vms/decide-change.ts';
import { Supply } from '../domain/vms/supply.ts';
import { ApiError } from '../platform/errors.ts';

/** The engine that new VMs of this node get, by the name they are recorded with. */
interface EngineOfNode {
  compute: ComputeDriver;
  db: Database;
  engine: string;
}

/**
 * What the engine has with what is reserved of it, to be shown: what is free now may be sold in a moment. The refusal to
 * answer with where the engine says nothing. Never called inside a transaction.
 */
export async function readSupply({ compute, db, engine }: EngineOfNode): Promise<Supply | ApiError> {
  const capacity = await askCapacity({ compute });
  return capacity instanceof ApiError ? capacity : Supply.read(db, engine, capacity);
}

/** The same for a quote of a VM's change. */
export async function roomFor(node: EngineOfNode, vm: { id: string }): Promise<Room> {
  return { supply: await readSupply(node), reserved: await findReservation(node.db, vm.id) };
}
