import { join, maybeOne, one, type Queryable, type Sql, sql } from '../database.ts';
import { type Page, pageOf } from './page.ts';

export type OrderKind = 'create' | 'change_plan' | 'change_custom' | 'renew' | 'delete_refund' | 'adjustment';
export type OrderStatus = 'pending' | 'completed' | 'failed' | 'refunded';

export interface OrderRow {
  id: string;
  account_id: string;
  vm_id: string | null;
  kind: OrderKind;
  status: OrderStatus;
  amount_minor: bigint;
  balance_after_minor: bigint;
  currency: string;
  invoice_id: string | null;
  created_at: Date;
  settled_at: Date | null;
}

export interface OrderLineRow {
  order_id: string;
  position: number;
  description: string;
  quantity: number;
  unit: string;
  unit_price: string;
  amount_minor: bigint;
  from_at: Date;
  to_at: Date;
  proration: boolean;
}

export const orderColumns = sql`id, account_id, vm_id, kind, status, amount_minor, balance_after_minor, currency,
  invoice_id, created_at, settled_at`;

/** Writes an order with its lines in one statement. */
export function insertOrder(
  db: Queryable,
  order: Omit<OrderRow, 'invoice_id'>,
  lines: Omit<OrderLineRow, 'order_id' | 'position'>[],
): Promise<OrderRow> {
  const json = JSON.stringify(lines, (_, value) => (typeof value === 'bigint' ? value.toString() : value));
  return one<OrderRow>(
    db,
    sql`
    with placed as (
      insert into orders (id, account_id, vm_id, kind, status, amount_minor, balance_after_minor, currency, created_at, settled_at)
      values (${order.id}, ${order.account_id}, ${order.vm_id}, ${order.kind}, ${order.status}, ${order.amount_minor}::bigint,
        ${order.balance_after_minor}::bigint, ${order.currency}, ${order.created_at}, ${order.settled_at})
      returning ${orderColumns}
    ), lines as (
      insert into order_lines (order_id, position, description, quantity, unit, unit_price, amount_minor, from_at, to_at, proration)
      select placed.id, line.position, item.* from placed,
        jsonb_array_elements(${json}::text::jsonb) with ordinality as line (value, position),
        jsonb_to_record(line.value) as item (description text, quantity int, unit text, unit_price text,
          amount_minor bigint, from_at timestamptz, to_at timestamptz, proration boolean)
    )
    select * from placed`,
  );
}

/** Locks a pending order; undefined when it is settled already, so that settling twice is harmless. */
export function lockPendingOrder(db: Queryable, id: string): Promise<OrderRow | undefined> {
  return maybeOne<OrderRow>(
    db,
    sql`select ${orderColumns} from orders where id = ${id} and status = 'pending' for update`,
  );
}

export async function settleOrder(
  db: Queryable,
  id: string,
  status: OrderStatus,
  invoiceId: string | null,
  at: Date,
) {
  await db.query(
    sql`update orders set status = ${status}, invoice_id = ${invoiceId}, settled_at = ${at} where id = ${id}`,
  );
}

export interface OrderFilter {
  vm_id?: string;
  kind?: OrderKind;
}

export function listOrders(
  db: Queryable,
  accountId: string,
  filter: OrderFilter,
  page: Page,
): Promise<OrderRow[]> {
  const conditions: Sql[] = [sql`account_id = ${accountId}`];
  if (filter.vm_id) conditions.push(sql`vm_id = ${filter.vm_id}`);
  if (filter.kind) conditions.push(sql`kind = ${filter.kind}`);
  return db.query<OrderRow>(
    sql`select ${orderColumns} from orders where ${join(conditions, ' and ')} ${pageOf(sql`id`, page)}`,
  );
}

/** The latest completed orders of a VM: what it was charged and given back. */
export function completedOrdersOfVm(db: Queryable, vmId: string, limit: number): Promise<OrderRow[]> {
  return db.query<OrderRow>(sql`
    select ${orderColumns} from orders where vm_id = ${vmId} and status = 'completed' order by id desc limit ${limit}`);
}

export interface OrderTotals {
  charged_minor: bigint;
  /** Positive. */
  refunded_minor: bigint;
}

/** What a VM was charged and given back over its whole life. */
export function orderTotalsOfVm(db: Queryable, vmId: string): Promise<OrderTotals> {
  return one<OrderTotals>(
    db,
    sql`
    select coalesce(sum(amount_minor) filter (where amount_minor > 0), 0)::bigint as charged_minor,
      coalesce(-sum(amount_minor) filter (where amount_minor < 0), 0)::bigint as refunded_minor
    from orders where vm_id = ${vmId} and status = 'completed'`,
  );
}

/** Charges less refunds of the orders that completed from `startAt` until before `endAt`. */
export async function netOfOrders(
  db: Queryable,
  accountId: string,
  period: { startAt: Date; endAt: Date },
): Promise<bigint> {
  const { net } = await one<{ net: bigint }>(
    db,
    sql`
    select coalesce(sum(amount_minor), 0)::bigint as net from orders
    where account_id = ${accountId} and status = 'completed'
      and settled_at >= ${period.startAt} and settled_at < ${period.endAt}`,
  );
  return net;
}
