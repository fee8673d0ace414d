import type { Database, Transaction } from '../../db/database.ts';
import { vmsNotToBeMoved } from '../../db/queries/hosts.ts';
import { updateVm, type VmRow } from '../../db/queries/vms.ts';
import type { Signals } from '../../db/signals.ts';
import { type MoveWindow, moveCanceled, moveScheduled } from '../../domain/hosts/move-window.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Failures } from '../../platform/failures.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { warnOwners } from '../tell-owners.ts';
import { inTransaction } from '../timers/renew-vms.ts';

export interface AnnounceServices {
  clock: Clock;
  db: Database;
  engine: string;
  secrets: SecretBox;
  signals: Signals;
}

/** VMs looked at in a round; the next round takes the rest. */
const BATCH = 100;

/** Tells the owners of a VM, once, that it is to be switched off and moved in this window. */
export async function announceMove(
  tx: Transaction,
  services: AnnounceServices,
  vm: VmRow,
  window: MoveWindow,
): Promise<void> {
  const { clock, signals } = services;
  if (
    vm.move_from_at?.getTime() === window.from.getTime() &&
    vm.move_to_at?.getTime() === window.to.getTime()
  )
    return;
  await updateVm(tx, vm.id, { move_from_at: window.from, move_to_at: window.to }, clock.now());
  await warnOwners(tx, services, { account_id: vm.account_id, vm_id: vm.id }, moveScheduled(window));
  await signals.vmChanged(tx, vm.id);
}

/** Tells the owners of VMs whose moves do not take place: their host is not drained any more, or there was not time enough. */
export async function cancelMoves(services: AnnounceServices, failures: Failures): Promise<void> {
  const { clock, db, engine, signals } = services;
  for (const id of await vmsNotToBeMoved(db, engine, clock.now(), BATCH)) {
    const work = () =>
      inTransaction(db, id, async (tx, vm) => {
        if (vm.active_job_id || !vm.move_from_at || !vm.move_to_at) return;
        const window = { from: vm.move_from_at, to: vm.move_to_at };
        await updateVm(tx, id, { move_from_at: null, move_to_at: null }, clock.now());
        await warnOwners(tx, services, { account_id: vm.account_id, vm_id: id }, moveCanceled(window));
        await signals.vmChanged(tx, id);
      });
    await failures.attempt('empty_hosts', work, id);
  }
}
