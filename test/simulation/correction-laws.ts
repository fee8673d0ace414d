import { type Sql, sql } from '../../server/db/database.ts';

/** Events are kept for a year, so the events of older corrections may be gone. */
const REMEMBERED = sql`interval '300 days'`;

/**
 * Laws of the operator's corrections in addition to the audit's, each with the query that finds violations: rows of one
 * text column `what`. `now` is the time of the clock that is ahead.
 */
export const correctionLaws = (now: Date): Record<string, Sql> => ({
  'a correction of an order has the item, the service period and the tax of its lines': sql`
    select made.id || ' line ' || line.position || ' at ' || line.tax_rate || ' from ' || line.from_at as what
    from orders made join order_lines line on line.order_id = made.id
    where made.corrects_order_id is not null and not exists (
      select 1 from order_lines sold where sold.order_id = made.corrects_order_id
        and (sold.from_at, sold.to_at, sold.tax_rate, sold.tax_category) = (line.from_at, line.to_at, line.tax_rate, line.tax_category)
        and (sold.tax_reason, sold.add_on) is not distinct from (line.tax_reason, line.add_on))`,
  'what was given and is voided is taken back, all of it': sql`
    select of.id || ' gave ' || -of.amount_minor || ', its void took ' || made.amount_minor as what
    from orders made join orders of on of.id = made.corrects_order_id
    where of.adjustment in ('credit', 'refund', 'sla_credit') and made.amount_minor <> -of.amount_minor`,
  'what is given or taken beside what is sold is money': sql`
    select made.id || ' moves promotional credit' as what
    from orders made left join orders of on of.id = made.corrects_order_id join journal on order_id = made.id
    where 'promo' in (debit, credit)
      and (made.adjustment in ('credit', 'debit') or of.adjustment in ('credit', 'debit'))`,
  'credit that paid for a month of a VM is at most what the month has cost': sql`
    select sale.vm_id || ' has ' || drawn || ' of credit in the month from ' || month.from_at || ', which cost ' || net as what
    from orders sale join order_lines month on month.order_id = sale.id, lateral (
      select sum(paid.amount_minor) as net, coalesce(sum(draw.amount), 0) as drawn
      from orders bought join order_lines paid on paid.order_id = bought.id left join lateral (
        select sum(amount_minor) as amount from promo_draws where order_id = bought.id and position = paid.position) draw on true
      where bought.vm_id = sale.vm_id and bought.status = 'completed' and paid.from_at < paid.to_at
        and paid.from_at >= month.from_at and paid.to_at <= month.to_at) as worked_out
    where sale.kind in ('create', 'renew') and sale.status = 'completed' and month.unit in ('month', 'deposit') and not month.proration
      and drawn not between 0 and greatest(net, 0)`,
  'an outage is credited to a VM once': sql`
    select outage_id || ' was credited ' || count(*) || ' times to ' || vm_id as what
    from orders where outage_id is not null group by outage_id, vm_id having count(*) > 1`,
  'only what an outage lies in is credited for it': sql`
    select made.id || ' credits ' || line.from_at || ' to ' || line.to_at || ' for ' || outages.id as what
    from orders made join order_lines line on line.order_id = made.id join outages on outages.id = made.outage_id
    where line.to_at <= outages.from_at or line.from_at >= outages.to_at or line.amount_minor >= 0`,
  'a correction says why and who made it, and its VM has the event': sql`
    select orders.id || ' by ' || coalesce(actor, 'nobody') as what
    from orders where kind = 'adjustment' and (coalesce(reason, '') = '' or coalesce(actor, '') = ''
      or vm_id is not null and created_at > ${now}::timestamptz - ${REMEMBERED} and not exists (
        select 1 from events where events.vm_id = orders.vm_id and type = 'billing.adjusted'
          and metadata->>'order_id' = orders.id))`,
});
