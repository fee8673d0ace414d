import type { Transaction } from '../../db/database.ts';
import type { OrderRow } from '../../db/queries/money/orders.ts';
import type { Clock } from '../../platform/clock.ts';
import { completeLocked, failLocked, type LedgerContext, lockPendingOrder } from './ledger.ts';

interface LedgerServices {
  clock: Clock;
}

export function ledger(services: LedgerServices, tx: Transaction): LedgerContext {
  return { tx, clock: services.clock };
}

/** A job's order, settled when the job ends; undefined if there is no money to settle. */
export type JobOrder = OrderRow | undefined;

/** Locks the wallet that a job was paid from, then reads the job's order. */
export async function lockOrderOf(
  tx: Transaction,
  job: { account_id: string; order_id: string | null },
): Promise<JobOrder> {
  return job.order_id ? lockPendingOrder(tx, job.account_id, job.order_id) : undefined;
}

/** Completes a job's order: captures its hold, or pays its refund. */
export async function captureFor(
  services: LedgerServices,
  tx: Transaction,
  order: JobOrder,
  at: Date,
): Promise<void> {
  if (order) await completeLocked(ledger(services, tx), order, at);
}

/** Fails a job's order: releases its hold. */
export async function releaseFor(
  services: LedgerServices,
  tx: Transaction,
  order: JobOrder,
  at: Date,
): Promise<void> {
  if (order) await failLocked(ledger(services, tx), order, at);
}
