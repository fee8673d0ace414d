import type { HostInfo } from '../../compute/driver.ts';
import type { Queryable } from '../../db/database.ts';
import { lockHost } from '../../db/queries/hosts.ts';
import {
  findReservation,
  insertReservation,
  reserveSnapshot,
  widenReservation,
} from '../../db/queries/reservations.ts';
import { updateVm, type VmRow } from '../../db/queries/vms.ts';
import { ApiError } from '../../platform/errors.ts';
import { requireReachable } from '../hosts/known-host.ts';
import { type Place, placeGuest } from '../hosts/place.ts';
import { grows, type HostSupply, isBounded, reservationOf, type SoldSize, Supply } from '../hosts/supply.ts';

/** The transaction that sells, and what the engine said of its hosts before it opened. */
export interface Purchase {
  db: Queryable;
  hosts: readonly HostInfo[] | ApiError;
}

/** A VM that is on a host. */
type PlacedVm = Pick<VmRow, 'id' | 'host_id'>;

/**
 * Finds a host for a VM that is bought, in one of these zones, and reserves its room there; `capacity_unavailable`, which
 * takes the whole order back, where there is none. `taking` are the hosts that take new VMs. Called last: another purchase of
 * the same host waits from here to the end of the transaction, and then sees this.
 */
export async function reserveVm(
  { db, hosts }: Purchase,
  taking: ReadonlySet<string>,
  vm: VmRow,
  zones: readonly string[],
): Promise<Place> {
  const size = reservationOf(vm);
  const place = await placeGuest(db, hosts, taking, { accountId: vm.account_id, size, zones });
  await updateVm(db, vm.id, { host_id: place.hostId, zone: place.zone }, vm.created_at);
  await insertReservation(db, vm.id, size);
  return place;
}

/** Reserves the room of a VM that is to change its size, on its own host: it keeps what it has until it is known how that ends. */
export async function reserveChange(purchase: Purchase, vm: PlacedVm, size: SoldSize): Promise<void> {
  const reservation = reservationOf(size);
  const before = await findReservation(purchase.db, vm.id);
  if (!before || grows(before, reservation))
    await requireRoom(purchase, vm, (supply) => supply.refusal(reservation, before));
  await widenReservation(purchase.db, vm.id, reservation);
}

/** The same for a snapshot, which may come to keep all of a disk. */
export async function reserveForSnapshot(
  purchase: Purchase,
  vm: PlacedVm,
  snapshotId: string,
  diskGb: number,
): Promise<void> {
  await requireRoom(purchase, vm, (supply) => supply.refusalOfDisk(diskGb));
  await reserveSnapshot(purchase.db, snapshotId, diskGb);
}

/** The same for a job that keeps two disks of a VM, a rebuild or a restore: the second counts until it is over. */
export async function reserveSecondDisk(purchase: Purchase, vm: PlacedVm, diskGb: number): Promise<void> {
  await requireRoom(purchase, vm, (supply) => supply.refusalOfDisk(diskGb));
}

async function requireRoom(
  { db, hosts }: Purchase,
  vm: PlacedVm,
  refusalOf: (supply: HostSupply) => ApiError | null,
): Promise<void> {
  if (hosts instanceof ApiError) throw hosts;
  const host = requireReachable(hosts, vm.host_id);
  if (!isBounded(host.capacity)) return;
  await lockHost(db, host.id);
  const { hosts: read } = await Supply.read(db, [{ ...host, takesNew: true }]);
  const refusal = refusalOf(read[0]!);
  if (refusal) throw refusal;
}
