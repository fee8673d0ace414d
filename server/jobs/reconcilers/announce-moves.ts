import type { Database, Transaction } from '../../db/database.ts';
import { vmsNotToBeMoved } from '../../db/queries/hosts/hosts.ts';
import {
  clearMoveWindow,
  findMoveWindow,
  type MoveWindow,
  setMoveWindow,
} from '../../db/queries/hosts/move-windows.ts';
import type { VmIdentity } from '../../db/queries/vms/vm-parts.ts';
import type { Signals } from '../../db/signals.ts';
import { moveCanceled, moveScheduled } from '../../domain/hosts/move-window.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Failures } from '../../platform/failures.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { warnOwners } from '../tell-owners.ts';
import { withLockedVm } from '../with-locked-vm.ts';

export interface AnnounceServices {
  clock: Clock;
  db: Database;
  engine: string;
  secrets: SecretBox;
  signals: Signals;
}

/** VMs processed per round; the next round takes the rest. */
const BATCH = 100;

/** Notifies the owners of a VM, once, that it will be switched off and moved in this window. */
export async function announceMove(
  tx: Transaction,
  services: AnnounceServices,
  vm: VmIdentity,
  window: MoveWindow,
): Promise<void> {
  const { signals } = services;
  const told = await findMoveWindow(tx, vm.id);
  if (told?.from.getTime() === window.from.getTime() && told.to.getTime() === window.to.getTime()) return;
  await setMoveWindow(tx, vm.id, window);
  await warnOwners(tx, services, { account_id: vm.account_id, vm_id: vm.id }, moveScheduled(window));
  await signals.vmChanged(tx, vm.id);
}

/**
 * Notifies the owners of VMs whose moves are cancelled, because their host is no longer being drained or because time
 * ran out.
 */
export async function cancelMoves(services: AnnounceServices, failures: Failures): Promise<void> {
  const { clock, db, engine, signals } = services;
  for (const id of await vmsNotToBeMoved(db, engine, clock.now(), BATCH)) {
    const work = () =>
      withLockedVm(db, id, async (tx, vm) => {
        const window = await findMoveWindow(tx, id);
        if (vm.active_job_id || !window) return;
        await clearMoveWindow(tx, id);
        await warnOwners(tx, services, { account_id: vm.account_id, vm_id: id }, moveCanceled(window));
        await signals.vmChanged(tx, id);
      });
    await failures.attempt('empty_hosts', work, id);
  }
}
