import { one, type Queryable, type Sql, sql } from '../../database.ts';
import { isMonth } from './adjustments.ts';
import { isSameItem, type OrderLineRow } from './orders.ts';
import { END } from './promo-credits.ts';

/** The part of a refund that goes back to promotional credit; the rest is money. */
export interface PromoReturned {
  promo_minor: bigint;
  /** The soonest end of that credit, which may have passed; null if no credit is returned. */
  promo_expires_at: Date | null;
}

/**
 * SQL for the parts of the refunds in `lines` of a VM that return to each promotional credit. A refund is credit in the
 * share in which credit paid for the item of the line in the line's month, or, if the line lies in no month, for exactly
 * its service period; rounded up, so that credit never becomes money. The credit that ends last is refilled before the
 * others. Other items of the order may charge something: credit gets back at most what the order refunds in all.
 *
 * Draws from before lines were recorded count for all lines of their order. Their returns followed another rule, so no
 * credit receives more than the VM drew from it.
 */
const returnsOf = (vmId: string, lines: Sql) => sql`
  giving as (
    select line.position, line.amount_minor, line.add_on, month.from_at is not null as is_month,
      coalesce(month.from_at, line.from_at) as from_at, coalesce(month.to_at, line.to_at) as to_at
    from (${lines}) line left join lateral (
      select sold.from_at, sold.to_at from orders sale join order_lines sold on sold.order_id = sale.id
      where sale.vm_id = ${vmId} and ${isMonth(sql`sold`, sql`sale`)}
        and sold.from_at <= line.from_at and sold.to_at >= line.to_at and line.from_at < line.to_at
      order by sold.from_at desc limit 1
    ) month on true
  ), parts as (
    select min(position) as part, is_month, from_at, to_at, add_on, -sum(amount_minor) as given
    from giving group by is_month, from_at, to_at, add_on having sum(amount_minor) < 0
  ), paid as (
    select part, given, bought.id as order_id, line.position, line.amount_minor, bought.amount_minor as order_minor
    from parts join orders bought on bought.vm_id = ${vmId} and bought.status = 'completed'
      join order_lines line on line.order_id = bought.id and ${isSameItem(sql`line`, sql`parts`)} and case when is_month
        then line.from_at >= parts.from_at and line.to_at <= parts.to_at and line.from_at < line.to_at
        else line.from_at = parts.from_at and line.to_at = parts.to_at end
  ), outstanding as (
    select promo_credit_id as id, sum(draw.amount_minor) as most from orders join promo_draws draw on order_id = orders.id
    where orders.vm_id = ${vmId} and orders.status = 'completed' group by 1
  ), drawn as (
    select part, promo_credit_id as id, ceil(sum(case when draw.position is not null then draw.amount_minor
      else draw.amount_minor * paid.amount_minor / paid.order_minor::numeric end)) as drawn
    from paid join promo_draws draw on draw.order_id = paid.order_id and coalesce(draw.position, paid.position) = paid.position
    group by part, promo_credit_id
  ), owed as (
    select part, least(given, case when given >= net then credit else div(given * credit + net - 1, net) end) as owed
    from (select part, min(given) as given, sum(amount_minor) as net from paid group by part) paid
      join (select part, sum(drawn) as credit from drawn where drawn > 0 group by part) drawn using (part)
  ), shares as (
    select part, id, least(drawn, owed - before) as amount from (
      select part, id, drawn, owed, coalesce(sum(drawn) over (
        partition by part order by ${END} desc, id desc rows between unbounded preceding and 1 preceding), 0) as before
      from drawn join owed using (part) join promo_credits using (id) where drawn > 0
    ) share where before < owed
  ), due as (
    select part, id, least(amount, most - before)::bigint as amount from (
      select part, id, amount, most, coalesce(sum(amount) over (
        partition by id order by part rows between unbounded preceding and 1 preceding), 0) as before
      from shares join outstanding using (id)
    ) share where most > before
  ), returned as (
    select part, id, least(amount, total - before)::bigint as amount from (
      select part, id, amount, coalesce(sum(amount) over (
        order by part, ${END} desc, id desc rows between unbounded preceding and 1 preceding), 0) as before
      from due join promo_credits using (id)
    ) share, (select -sum(amount_minor) as total from giving) given where total > before
  )`;

/** Returns how much an unsettled order would return to promotional credit if it were settled now. */
export function promoToReturn(
  db: Queryable,
  vmId: string,
  lines: Pick<OrderLineRow, 'amount_minor' | 'from_at' | 'to_at' | 'add_on'>[],
): Promise<PromoReturned> {
  const json = JSON.stringify(
    lines.map(({ amount_minor, from_at, to_at, add_on }, index) => ({
      position: index + 1,
      amount_minor: amount_minor.toString(),
      from_at,
      to_at,
      add_on,
    })),
  );
  const wanted = sql`select * from jsonb_to_recordset(${json}::text::jsonb)
    as line (position int, amount_minor bigint, from_at timestamptz, to_at timestamptz, add_on text)`;
  return one<PromoReturned>(
    db,
    sql`with ${returnsOf(vmId, wanted)}
    select coalesce(sum(amount), 0)::bigint as promo_minor, min(${END}) as promo_expires_at
    from returned join promo_credits using (id)`,
  );
}

/**
 * Returns to promotional credit the share of a refunding order that is due to it, and returns the amount. The order
 * must not be settled yet. The caller must hold the wallet's lock.
 */
export async function returnPromo(
  db: Queryable,
  { orderId, vmId }: { orderId: string; vmId: string },
): Promise<bigint> {
  const lines = sql`select position, amount_minor, from_at, to_at, add_on from order_lines where order_id = ${orderId}`;
  const { moved } = await one<{ moved: bigint }>(
    db,
    sql`with ${returnsOf(vmId, lines)}, credits as (
      update promo_credits set remaining_minor = remaining_minor + amount
      from (select id, sum(amount)::bigint as amount from returned group by id) back where back.id = promo_credits.id
    ), draws as (
      insert into promo_draws (order_id, promo_credit_id, position, amount_minor)
      select ${orderId}, id, part, -amount from returned order by part, id
    )
    select coalesce(sum(amount), 0)::bigint as moved from returned`,
  );
  return moved;
}

/** Returns how much a settled order returned to promotional credit. */
export function promoReturnedBy(db: Queryable, orderId: string): Promise<PromoReturned> {
  return one<PromoReturned>(
    db,
    sql`
    select coalesce(-sum(draw.amount_minor), 0)::bigint as promo_minor, min(${END}) as promo_expires_at
    from promo_draws draw join promo_credits on promo_credits.id = promo_credit_id where order_id = ${orderId} and draw.amount_minor < 0`,
  );
}
