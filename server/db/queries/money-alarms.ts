import { one, type Queryable, sql } from '../database.ts';

/** Silent failures with money, for alarms. */
export interface MoneyAlarms {
  /** Unpaid VMs of which an attempt to switch them off, or to delete them, failed. */
  dunning_failing: number;
  /** When the oldest order that is pending was placed; null where there is none. */
  oldest_pending_at: Date | null;
  /** Payments that their provider took back and that no wallet has paid for yet. */
  claims: number;
  /** Payments that their provider has and the books do not, and about which no operator has decided. */
  unbooked: number;
  /** Whether documents wait for an operator to say which numbers are free. */
  series_asked: boolean;
  /** Documents whose month is over and that are not issued, because they would break a rule. */
  held_documents: number;
}

export function moneyAlarms(db: Queryable): Promise<MoneyAlarms> {
  return one<MoneyAlarms>(
    db,
    sql`
    select (select count(*)::int from vms where deleted_at is null and dunning_failures > 0) as dunning_failing,
      (select min(created_at) from orders where status = 'pending') as oldest_pending_at,
      (select count(*)::int from top_up_reversals where status = 'owed') as claims,
      (select count(*)::int from unbooked_payments where decided_at is null) as unbooked,
      exists (select from number_series where asked_at is not null) as series_asked,
      (select count(*)::int from held_documents join invoices on invoices.id = invoice_id where status = 'draft') as held_documents`,
  );
}

/** Unfinished jobs of orders that were placed before that instant and are still pending, the oldest first. */
export function jobsOfOrdersBefore(
  db: Queryable,
  before: Date,
  limit: number,
): Promise<{ id: string; vm_id: string }[]> {
  return db.query(sql`
    select jobs.id, jobs.vm_id from orders join jobs on jobs.order_id = orders.id
    where orders.status = 'pending' and orders.created_at < ${before} and jobs.status in ('pending', 'running')
    order by orders.id limit ${limit}`);
}
