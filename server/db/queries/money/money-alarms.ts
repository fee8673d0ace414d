import { one, type Queryable, sql } from '../../database.ts';

/** Money problems that fail silently, for alarms. */
export interface MoneyAlarms {
  /** Number of unpaid VMs that could not be switched off or deleted when they should have been. */
  dunning_failing: number;
  /** When the oldest pending order was placed; null if none is pending. */
  oldest_pending_at: Date | null;
  /** Number of payments that their provider charged back and that no wallet has covered yet. */
  claims: number;
  /** Number of payments that the provider has but the books do not, and that no operator has decided on. */
  unbooked: number;
  /** True if documents cannot be issued until an operator says which numbers are free. */
  series_asked: boolean;
  /** Number of documents whose month is over but that cannot be issued because they would break a rule. */
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

/** Returns unfinished jobs of still pending orders that were placed before `before`, oldest first. */
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
