import { type Sql, sql } from '../../../db/database.ts';
import type { Scope } from './law.ts';

/** Lines of completed orders of VMs, charges and refunds, with their order. */
export const charged = (scope: Scope): Sql => sql`(
  select vm_id, kind, order_id, created_at, position, quantity, unit, add_on, order_lines.amount_minor, unit_price, price_hourly,
    from_at, to_at, proration
  from order_lines join orders on orders.id = order_id
  where status = 'completed' and vm_id is not null and ${scope(sql`account_id`)})`;

const SALE_OF = {
  period: sql`kind in ('create', 'renew', 'change_plan', 'change_custom') and line.add_on is null`,
  add_ons: sql`kind in ('renew', 'add_on') and line.unit = 'add_on'`,
};

/**
 * The lines that may be those of the latest sale of each VM's period, or of each of its add-ons: the last by order of
 * booking and the last by instant. The two can differ, because the instants of two nodes, of a clock that was set back or
 * of several months renewed at once need not follow the order of the sales. A sale of zero has no booking, so any of them
 * may be the latest. A refund of an add-on that was given up is such a line too: its amount is not positive.
 */
export const latestSales = (scope: Scope, of: keyof typeof SALE_OF): Sql => sql`(
  select * from (
    select vm_id, line.add_on, line.quantity, line.unit_price, line.price_hourly, line.amount_minor, line.tax_rate, line.from_at,
      line.to_at, place,
      row_number() over (partition by vm_id, line.add_on order by place desc nulls last, line.position desc) as by_booking,
      row_number() over (partition by vm_id, line.add_on order by settled_at desc, orders.id desc, line.position desc) as by_instant
    from orders join order_lines line on line.order_id = orders.id left join (
      select order_id, max(position) as place from journal where ${scope(sql`account_id`)} group by order_id
    ) booked on booked.order_id = orders.id
    where status = 'completed' and ${SALE_OF[of]} and ${scope(sql`account_id`)}
  ) sale where by_booking = 1 or by_instant = 1 or place is null)`;
