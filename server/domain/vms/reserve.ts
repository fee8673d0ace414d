import type { HostInfo } from '../../compute/driver.ts';
import type { Queryable } from '../../db/database.ts';
import { lockHost } from '../../db/queries/hosts/hosts.ts';
import {
  findReservation,
  insertReservation,
  reserveSnapshot,
  widenReservation,
} from '../../db/queries/vms/reservations.ts';
import type { VmIdentity } from '../../db/queries/vms/vm-parts.ts';
import { updateVm, type VmRow } from '../../db/queries/vms/vms.ts';
import { ApiError } from '../../platform/errors.ts';
import { requireReachable } from '../hosts/known-host.ts';
import { type Place, placeGuest } from '../hosts/place.ts';
import { grows, type HostSupply, isBounded, reservationOf, type SoldSize, Supply } from '../hosts/supply.ts';

/** The transaction of a sale, and the engine's hosts from before it. */
export interface Purchase {
  db: Queryable;
  hosts: readonly HostInfo[] | ApiError;
}

type PlacedVm = Pick<VmRow, 'id' | 'host_id'>;

/**
 * Finds a host in one of these zones for a VM that is being bought, and reserves capacity there. Throws
 * `capacity_unavailable`, which rolls back the whole order, if there is none. `taking` are the hosts that take new VMs.
 * Must be called last: another purchase on the same host waits from here until the transaction ends, and then sees this
 * reservation.
 */
export async function reserveVm(
  { db, hosts }: Purchase,
  taking: ReadonlySet<string>,
  vm: VmIdentity & SoldSize & Pick<VmRow, 'created_at'>,
  zones: readonly string[],
): Promise<Place> {
  const size = reservationOf(vm);
  const place = await placeGuest(db, hosts, taking, { accountId: vm.account_id, size, zones });
  await updateVm(db, vm.id, { host_id: place.hostId, zone: place.zone }, vm.created_at);
  await insertReservation(db, vm.id, size);
  return place;
}

/**
 * Reserves capacity on its host for a VM that changes its size: the VM keeps its old reservation until the outcome is
 * known.
 */
export async function reserveChange(purchase: Purchase, vm: PlacedVm, size: SoldSize): Promise<void> {
  const reservation = reservationOf(size);
  const before = await findReservation(purchase.db, vm.id);
  if (!before || grows(before, reservation))
    await requireRoom(purchase, vm, (supply) => supply.refusal(reservation, before));
  await widenReservation(purchase.db, vm.id, reservation);
}

/** Reserves disk space for a snapshot, which can grow to the size of the VM's disk. */
export async function reserveForSnapshot(
  purchase: Purchase,
  vm: PlacedVm,
  snapshotId: string,
  diskGb: number,
): Promise<void> {
  await requireRoom(purchase, vm, (supply) => supply.refusalOfDisk(diskGb));
  await reserveSnapshot(purchase.db, snapshotId, diskGb);
}

/**
 * Requires disk space for a rebuild or a restore, which keeps two disks of a VM: the second counts until the job is
 * over.
 */
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
