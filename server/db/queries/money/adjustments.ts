import { maybeOne, one, type Queryable, type Sql, sql } from '../../database.ts';
import { type Page, pageOf } from '../page.ts';
import type { VmRow } from '../vms/vms.ts';
import { isOfPeriod, isSaleLine, type NewLine, type OrderRow, orderColumns } from './orders.ts';

export function systemFindOrder(db: Queryable, id: string): Promise<OrderRow | undefined> {
  return maybeOne<OrderRow>(db, sql`select ${orderColumns} from orders where id = ${id}`);
}

/** Lists an account's corrections, newest first. */
export function listAdjustments(db: Queryable, accountId: string, page: Page): Promise<OrderRow[]> {
  return db.query<OrderRow>(sql`
    select ${orderColumns} from orders where account_id = ${accountId} and adjustment is not null ${pageOf(sql`id`, page)}`);
}

/**
 * Condition: the order sells something or refunds it. False for credits and debits that the operator makes in addition,
 * and for orders that undo those.
 */
export const isSold = (
  order: Sql,
) => sql`not (coalesce(${order}.adjustment in ('credit', 'debit'), false) or exists (
  select 1 from orders made left join orders of on of.id = made.corrects_order_id
  where made.id = ${order}.corrects_order_id
    and (made.adjustment in ('credit', 'debit') or of.adjustment in ('credit', 'debit'))))`;

/**
 * Condition: the line stands for a whole period of its VM, because it sells a month or holds a deposit for one. Usage
 * during a VM's grace belongs to no period.
 */
export const isMonth = (line: Sql, order: Sql) =>
  sql`(${order}.kind in ('create', 'renew') and ${order}.status = 'completed' and not ${line}.proration and ${isOfPeriod(line)})`;

/**
 * The payments for a period of a VM, including deposits, minus refunds: the lines whose service lies within it. A free
 * credit has no service period and does not count. Counts only lines of the VM itself, or of its add-on with the code
 * `addOn`.
 */
export const periodNet = (vmId: Sql, start: Sql, end: Sql, status: Sql, addOn = sql`null`) => sql`
  (select coalesce(sum(part.amount_minor), 0)::bigint from orders paid join order_lines part on part.order_id = paid.id
    where paid.vm_id = ${vmId} and ${status} and part.from_at >= ${start} and part.to_at <= ${end}
      and part.from_at < part.to_at and part.add_on is not distinct from ${addOn})`;

/** Returns the same for the VM's current period, completed orders only. */
export async function netOfPeriod(
  db: Queryable,
  vm: Pick<VmRow, 'id' | 'billing_period_start_at' | 'billing_period_end_at'>,
  addOn: string | null = null,
): Promise<bigint> {
  const { billing_period_start_at: start, billing_period_end_at: end } = vm;
  const net = periodNet(
    sql`${vm.id}`,
    sql`${start}::timestamptz`,
    sql`${end}::timestamptz`,
    sql`paid.status = 'completed'`,
    sql`${addOn}::text`,
  );
  return (await one<{ net: bigint }>(db, sql`select ${net} as net`)).net;
}

/** Returns the part of an order that was not collected: written off by an earlier release, or still owed. */
export async function uncollected(db: Queryable, orderId: string): Promise<bigint> {
  const { lost } = await one<{ lost: bigint }>(
    db,
    sql`select coalesce(sum(case when debit in ('write_off', 'receivable') then amount_minor when credit = 'receivable' then -amount_minor else 0 end), 0)::bigint
      as lost from journal where order_id = ${orderId}`,
  );
  return lost;
}

/** The remaining amount of order lines of one item with the same period and tax, after all corrections of the order. */
export interface Remainder
  extends Pick<NewLine, 'description' | 'from_at' | 'to_at' | 'tax_rate' | 'tax_category' | 'tax_reason'> {
  /** The code of the add-on; null if it is about no add-on. */
  add_on: string | null;
  amount_minor: bigint;
  /** The start of the VM's month in which it lies; null if it lies in none. */
  month: Date | null;
  /** The payments for the item in that month minus refunds, including pending ones. */
  month_net: bigint | null;
}

/** Returns an order's nonzero remainders, in the order of its lines. */
export function remaindersOf(db: Queryable, order: Pick<OrderRow, 'id' | 'vm_id'>): Promise<Remainder[]> {
  const paid = sql`(paid.status = 'completed' or (paid.status = 'pending' and paid.amount_minor < 0))`;
  return db.query<Remainder>(sql`
    with recursive family as (
      select id from orders where id = ${order.id}
      union all
      select orders.id from family join orders on corrects_order_id = family.id where status = 'completed'
    ), remaining as (
      select add_on, from_at, to_at, tax_rate, tax_category, tax_reason, sum(amount_minor)::bigint as amount_minor,
        min(position) as place,
        (array_agg(description order by (order_id = ${order.id}) desc, abs(amount_minor) desc, position))[1] as description
      from family join order_lines on order_id = family.id where ${isSaleLine(sql`order_lines`)}
      group by 1, 2, 3, 4, 5, 6 having sum(amount_minor) <> 0
    )
    select remaining.*, month.start as month,
      case when month.start is not null
        then ${periodNet(sql`${order.vm_id}`, sql`month.start`, sql`month.end_at`, paid, sql`remaining.add_on`)} end as month_net
    from remaining left join lateral (
      select sold.from_at as start, sold.to_at as end_at
      from orders sale join order_lines sold on sold.order_id = sale.id
      where sale.vm_id = ${order.vm_id} and ${isMonth(sql`sold`, sql`sale`)}
        and sold.from_at <= remaining.from_at and sold.to_at >= remaining.to_at and remaining.from_at < remaining.to_at
      order by sold.from_at desc limit 1
    ) month on true
    order by place, from_at, tax_rate, add_on nulls first`);
}
