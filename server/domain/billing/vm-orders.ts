import type { Transaction } from '../../db/database.ts';
import type { OrderRow } from '../../db/queries/orders.ts';
import type { Clock } from '../../platform/clock.ts';
import { completeLocked, failLocked, type LedgerContext, lockPendingOrder } from './ledger.ts';

interface LedgerServices {
  clock: Clock;
}

/** The ledger, within a transaction of this service. */
export function ledger(services: LedgerServices, tx: Transaction): LedgerContext {
  return { tx, clock: services.clock };
}

/** A job's order, which is settled as the job ends; undefined where there is no money to settle. */
export type JobOrder = OrderRow | undefined;

/** Locks the wallet that a job was paid from, and reads the order behind that. */
export async function lockOrderOf(
  tx: Transaction,
  job: { account_id: string; order_id: string | null },
): Promise<JobOrder> {
  return job.order_id ? lockPendingOrder(tx, job.account_id, job.order_id) : undefined;
}

/** Captures or pays out what a job's order holds. */
export async function captureFor(
  services: LedgerServices,
  tx: Transaction,
  order: JobOrder,
  at: Date,
): Promise<void> {
  if (order) await completeLocked(ledger(services, tx), order, at);
}

/** Releases what a job's order holds. */
export async function releaseFor(
  services: LedgerServices,
  tx: Transaction,
  order: JobOrder,
  at: Date,
): Promise<void> {
  if (order) await failLocked(ledger(services, tx), order, at);
}
