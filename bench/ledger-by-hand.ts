import { type Database, sql } from '../server/db/database.ts';
import type { OrderRequest } from '../server/domain/billing/ledger.ts';

/** Ids that {@link buyByHand} needs because it looks nothing up. */
export interface ByHand {
  orderId: string;
  invoiceId: string;
}

/**
 * Writes the rows that placing and completing an order leave behind, with the fewest plain statements: nothing is
 * looked up, locked, checked or composed.
 */
export async function buyByHand(db: Database, { orderId, invoiceId }: ByHand, request: OrderRequest) {
  const { accountId, vmId, at, charge } = request;
  const amount = charge.total_minor;
  const line = charge.lines[0]!;
  await db.transaction(async (tx) => {
    await tx.query(sql`
      update wallets set available_minor = available_minor - ${amount}::bigint,
        held_minor = held_minor + ${amount}::bigint, updated_at = ${at} where account_id = ${accountId}`);
    await tx.query(sql`
      insert into orders (id, account_id, vm_id, kind, status, amount_minor, currency, created_at)
      values (${orderId}, ${accountId}, ${vmId}, 'create', 'pending', ${amount}::bigint, 'EUR', ${at})`);
    await tx.query(sql`
      insert into order_lines (order_id, position, description, quantity, unit, unit_price, amount_minor, from_at,
        to_at, proration, tax_rate, tax_minor, tax_category)
      values (${orderId}, 1, ${line.description}, 1, 'month', ${line.unit_price}, ${amount}::bigint, ${line.from_at},
        ${line.to_at}, false, ${line.tax_rate}, ${line.tax_minor}::bigint, 'standard')`);
    await tx.query(sql`
      insert into journal (account_id, debit, credit, amount_minor, currency, reason, order_id, created_at)
      values (${accountId}, 'wallet', 'hold', ${amount}::bigint, 'EUR', 'hold', ${orderId}, ${at})`);
  });
  await db.transaction(async (tx) => {
    await tx.query(sql`
      update wallets set held_minor = held_minor - ${amount}::bigint, updated_at = ${at} where account_id = ${accountId}`);
    await tx.query(sql`
      insert into journal (account_id, debit, credit, amount_minor, currency, reason, order_id, created_at)
      values (${accountId}, 'hold', 'deferred:0.2', ${amount - line.tax_minor}::bigint, 'EUR', 'capture', ${orderId}, ${at}),
        (${accountId}, 'hold', 'tax:0.2', ${line.tax_minor}::bigint, 'EUR', 'capture', ${orderId}, ${at})`);
    await tx.query(sql`
      update orders set status = 'completed', invoice_id = ${invoiceId}, settled_at = ${at} where id = ${orderId}`);
  });
}
