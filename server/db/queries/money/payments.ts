import { execute, maybeOne, type Queryable, sql } from '../../database.ts';
import { type Page, pageOf } from '../page.ts';

/** A payment from or to an external party. */
export interface PaymentRow {
  id: string;
  account_id: string;
  method: string;
  status: 'pending' | 'succeeded' | 'failed' | 'refunded';
  amount_minor: bigint;
  currency: string;
  reference: string;
  created_at: Date;
  settled_at: Date | null;
}

const paymentColumns = sql`id, account_id, method, status, amount_minor, currency, reference, created_at, settled_at`;

export function listPayments(db: Queryable, accountId: string, page: Page): Promise<PaymentRow[]> {
  return db.query<PaymentRow>(sql`
    select ${paymentColumns} from payments where account_id = ${accountId} ${pageOf(sql`id`, page)}`);
}

export function findPaymentByReference(
  db: Queryable,
  accountId: string,
  reference: string,
): Promise<PaymentRow | undefined> {
  return maybeOne<PaymentRow>(
    db,
    sql`select ${paymentColumns} from payments where account_id = ${accountId} and reference = ${reference}
      order by id limit 1`,
  );
}

export async function insertPayment(db: Queryable, payment: PaymentRow): Promise<void> {
  await execute(
    db,
    sql`
    insert into payments (${paymentColumns})
    values (${payment.id}, ${payment.account_id}, ${payment.method}, ${payment.status},
      ${payment.amount_minor}::bigint, ${payment.currency}, ${payment.reference}, ${payment.created_at},
      ${payment.settled_at})`,
  );
}
