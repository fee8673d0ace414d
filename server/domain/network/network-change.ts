import type { Transaction } from '../../db/database.ts';
import { bumpNetworkGeneration } from '../../db/queries/vms/network.ts';

interface Request {
  db: Transaction;
  services: { network: { kick(vmId: string): void } };
  now: Date;
}

/**
 * Begins a change of a VM's network rules; the caller holds the VM's lock. Returns the generation to write the change
 * under. The engine is updated as soon as the transaction has committed.
 */
export function beginNetworkChange({ db, services, now }: Request, vmId: string): Promise<number> {
  db.afterCommit(() => services.network.kick(vmId));
  return bumpNetworkGeneration(db, vmId, now);
}
