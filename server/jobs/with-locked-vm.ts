import type { Database, Transaction } from '../db/database.ts';
import { systemFindVm, type VmRow } from '../db/queries/vms/vms.ts';

/** Locks a VM and runs `work` on it in a transaction; does nothing if the VM is gone. */
export function withLockedVm(
  db: Database,
  id: string,
  work: (tx: Transaction, vm: VmRow) => Promise<void>,
): Promise<void> {
  return db.transaction(async (tx) => {
    const vm = await systemFindVm(tx, id, true);
    if (vm && !vm.deleted_at) await work(tx, vm);
  });
}
