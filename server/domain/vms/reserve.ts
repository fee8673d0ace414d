import type { EngineCapacity } from '../../compute/driver.ts';
import type { Queryable } from '../../db/database.ts';
import {
  findReservation,
  insertReservation,
  lockEngine,
  reserveSnapshot,
  widenReservation,
} from '../../db/queries/reservations.ts';
import { ApiError } from '../../platform/errors.ts';
import { grows, isBounded, reservationOf, type SoldSize, Supply } from './supply.ts';

/** The transaction that sells, and what the engine said before it opened. */
export interface Purchase {
  db: Queryable;
  engine: string;
  capacity: EngineCapacity | ApiError;
}

/**
 * Reserves room for a VM that is bought; `capacity_unavailable`, which takes the whole order back, where there is none.
 * Called last: another purchase of the same engine waits from here to the end of the transaction, and then sees this.
 */
export async function reserveVm(purchase: Purchase, vmId: string, size: SoldSize): Promise<void> {
  const reservation = reservationOf(size);
  await requireRoom(purchase, (supply) => supply.refusal(reservation));
  await insertReservation(purchase.db, vmId, reservation);
}

/** The same for a VM that is to change its size: it keeps what it has until it is known how that ends. */
export async function reserveChange(purchase: Purchase, vmId: string, size: SoldSize): Promise<void> {
  const reservation = reservationOf(size);
  const before = await findReservation(purchase.db, vmId);
  if (!before || grows(before, reservation))
    await requireRoom(purchase, (supply) => supply.refusal(reservation, before));
  await widenReservation(purchase.db, vmId, reservation);
}

/** The same for a snapshot, which may come to keep all of a disk. */
export async function reserveForSnapshot(
  purchase: Purchase,
  snapshotId: string,
  diskGb: number,
): Promise<void> {
  await requireRoom(purchase, (supply) => supply.refusalOfDisk(diskGb));
  await reserveSnapshot(purchase.db, snapshotId, diskGb);
}

/** The same for a job that keeps two disks of a VM, a rebuild or a restore: the second counts until it is over. */
export async function reserveSecondDisk(purchase: Purchase, diskGb: number): Promise<void> {
  await requireRoom(purchase, (supply) => supply.refusalOfDisk(diskGb));
}

async function requireRoom(
  { db, engine, capacity }: Purchase,
  refusalOf: (supply: Supply) => ApiError | null,
): Promise<void> {
  if (capacity instanceof ApiError) throw capacity;
  if (!isBounded(capacity)) return;
  await lockEngine(db, engine);
  const refusal = refusalOf(await Supply.read(db, engine, capacity));
  if (refusal) throw refusal;
}
