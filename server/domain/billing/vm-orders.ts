import type { Transaction } from '../../db/database.ts';
import type { Clock } from '../../platform/clock.ts';
import { completeOrder, failOrder, type LedgerContext } from './ledger.ts';

interface LedgerServices {
  clock: Clock;
}

/** The ledger, within a transaction of this service. */
export function ledger(services: LedgerServices, tx: Transaction): LedgerContext {
  return { tx, clock: services.clock };
}

interface Paid {
  account_id: string;
  order_id: string | null;
}

/** Captures or pays out what a job's order holds; a job without an order has no money to settle. */
export async function captureFor(
  services: LedgerServices,
  tx: Transaction,
  job: Paid,
  at: Date,
): Promise<void> {
  if (job.order_id) await completeOrder(ledger(services, tx), job.account_id, job.order_id, at);
}

/** Releases what a job's order holds. */
export async function releaseFor(
  services: LedgerServices,
  tx: Transaction,
  job: Paid,
  at: Date,
): Promise<void> {
  if (job.order_id) await failOrder(ledger(services, tx), job.account_id, job.order_id, at);
}
