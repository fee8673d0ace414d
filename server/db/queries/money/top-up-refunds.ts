import { execute, maybeOne, one, type Queryable, sql } from '../../database.ts';

/** A refund of a top-up to the payment method it came from. */
export interface TopUpRefundRow {
  id: string;
  top_up_id: string;
  account_id: string;
  amount_minor: bigint;
  status: 'pending' | 'succeeded' | 'failed';
  /** Shown to the customer, too. */
  reason: string;
  actor: string;
  /** The payment that took the amount out of the wallet. */
  payment_id: string;
  /** The payment that put it back after the provider refused. */
  returned_payment_id: string | null;
  provider_ref: string | null;
  error: string | null;
  created_at: Date;
  settled_at: Date | null;
  /** When the provider will be asked again. */
  retry_at: Date | null;
}

const columns = sql`id, top_up_id, account_id, amount_minor, status, reason, actor, payment_id, returned_payment_id, provider_ref, error,
  created_at, settled_at, retry_at`;

export async function insertRefund(db: Queryable, row: TopUpRefundRow): Promise<void> {
  await execute(
    db,
    sql`
    insert into top_up_refunds (${columns})
    values (${row.id}, ${row.top_up_id}, ${row.account_id}, ${row.amount_minor}::bigint, ${row.status}, ${row.reason}, ${row.actor},
      ${row.payment_id}, ${row.returned_payment_id}, ${row.provider_ref}, ${row.error}, ${row.created_at}, ${row.settled_at},
      ${row.retry_at})`,
  );
}

/** Returns the refunds of a top-up, oldest first. */
export function refundsOf(db: Queryable, topUpId: string): Promise<TopUpRefundRow[]> {
  return db.query<TopUpRefundRow>(sql`
    select ${columns} from top_up_refunds where top_up_id = ${topUpId} order by id`);
}

export function findRefund(db: Queryable, id: string): Promise<TopUpRefundRow | undefined> {
  return maybeOne<TopUpRefundRow>(db, sql`select ${columns} from top_up_refunds where id = ${id}`);
}

/** Returns a refund and locks it until the transaction ends. The caller must hold the lock on its top-up. */
export function lockRefund(db: Queryable, id: string): Promise<TopUpRefundRow | undefined> {
  return maybeOne<TopUpRefundRow>(
    db,
    sql`select ${columns} from top_up_refunds where id = ${id} for no key update`,
  );
}

/** The caller must hold the refund's lock. */
export function changeRefund(
  db: Queryable,
  row: TopUpRefundRow,
  change: Partial<
    Pick<
      TopUpRefundRow,
      'status' | 'returned_payment_id' | 'provider_ref' | 'error' | 'settled_at' | 'retry_at'
    >
  >,
): Promise<TopUpRefundRow> {
  const next = { ...row, ...change };
  return one<TopUpRefundRow>(
    db,
    sql`
    update top_up_refunds set status = ${next.status}, returned_payment_id = ${next.returned_payment_id},
      provider_ref = ${next.provider_ref}, error = ${next.error}, settled_at = ${next.settled_at}, retry_at = ${next.retry_at}
    where id = ${row.id} returning ${columns}`,
  );
}

/**
 * Returns refunds whose outcome is unknown and that are due for a retry. One due after `latest`, which is later than
 * any time that is ever set, is due at once: the clock was set back.
 */
export function refundsToRetry(
  db: Queryable,
  { now, latest }: { now: Date; latest: Date },
  limit: number,
): Promise<TopUpRefundRow[]> {
  return db.query<TopUpRefundRow>(sql`
    select ${columns} from top_up_refunds where status = 'pending' and (retry_at <= ${now} or retry_at > ${latest})
    order by retry_at, id limit ${limit}`);
}
