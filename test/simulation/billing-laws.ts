import { join, type Sql, sql } from '../../server/db/database.ts';
import { LONGEST_PENDING_HOURS } from '../../server/jobs/timers/overdue-orders.ts';
import { PRICE_NOTICE_DAYS } from './price-notice-days.ts';

/** Minor units per major unit. */
export const MINOR = sql`(select 10::numeric ^ exponent from books)`;

/** The common terms of the laws below, computed once for all of them. */
const TERMS = sql`
  -- Order lines that a VM was really charged or given back, with what they belong to.
  charged as materialized (
    select vm_id, kind, order_id, created_at, position, description, add_on, order_lines.amount_minor, quantity, unit, unit_price, from_at, to_at, proration,
      lag(unit_price) over before as month_price, lag(order_lines.amount_minor) over before as given_minor,
      lag(to_at) over before as month_end, seconds, unit_price::numeric * ${MINOR} * seconds / 3600 as due_by_hour
    from order_lines join orders on orders.id = order_id, lateral (
      select floor(extract(epoch from to_at - from_at)) as seconds) as served
    where status = 'completed'
    window before as (partition by order_id order by position)
  ),
  -- The months that VMs were paid for.
  months as materialized (
    select *, floor(extract(epoch from to_at - from_at)) as length from charged
    where kind in ('create', 'renew') and not proration and unit in ('month', 'deposit')
  ),
  -- What VMs were charged for running on before they were suspended.
  graces as (select * from charged where kind = 'renew' and proration),
  -- Shares of months that were changed or given up.
  shares as (select * from charged where kind <> 'renew' and proration),
  -- What the operator has given back of months, whether or not it was taken back: no change or deletion keeps more than that.
  corrections as (
    select months.vm_id, months.to_at, -sum(least(made.amount_minor, 0)) as corrected
    from months join charged made on made.vm_id = months.vm_id and made.kind = 'adjustment'
      and made.from_at >= months.from_at and made.to_at <= months.to_at and made.from_at < made.to_at and made.add_on is null
    group by 1, 2
  ),
  -- Months that may have had traffic that ends in a throttle: nothing is given back for what was sent of it.
  limited as (
    select distinct vm_id from usage_readings where included_gb is not null and traffic_price is null
  ),
  -- What those months, with the changes in them, cost in all, and what they are worth to the second: a line of hours no
  -- more than the share of the month that the line before it gives back.
  periods as materialized (
    select months.vm_id, months.to_at, length,
      coalesce(corrected, 0) + case when months.vm_id in (select vm_id from limited) then 1e12 else 0 end as corrected,
      months.amount_minor + coalesce(sum(share.amount_minor), 0) as paid,
      months.amount_minor + coalesce(sum(case
          -- What a correction keeps from being released is no time.
          when share.unit = 'adjustment' then 0
          when share.unit = 'hour' then least(share.due_by_hour * length,
            share.month_price::numeric * ${MINOR} * floor(extract(epoch from share.month_end - share.from_at)))
          else case share.position when 1 then -1 else 1 end * share.unit_price::numeric * ${MINOR} * share.seconds end), 0)
        / length as exact
    from months left join charged share
      on share.vm_id = months.vm_id and share.kind like 'change%' and case share.unit
        when 'hour' then share.month_end = months.to_at else share.to_at = months.to_at end
      left join corrections on corrections.vm_id = months.vm_id and corrections.to_at = months.to_at
    group by months.vm_id, months.to_at, length, corrected, months.amount_minor
  )`;

/** Rows that break any of the laws, as two text columns: `law` and `what`. */
export function offencesAgainst(laws: Record<string, Sql>): Sql {
  const found = Object.entries(laws).map(
    ([law, offences]) => sql`select ${law}::text as law, what::text from (${offences}) offences`,
  );
  return sql`with ${TERMS} ${join(found, ' union all ')}`;
}

/**
 * Laws of a bill in addition to the audit's, each with the query that finds violations: rows of one text column `what`.
 * `now` is the time of the clock that is ahead, `skew` the interval by which others may be behind. The prices of shares
 * of a month are computed here again, in the database's decimals.
 */
export const billingLaws = (now: Date, skew: string): Record<string, Sql> => ({
  'the months of a VM follow each other, but for the time it was switched off': sql`
    select vm_id || ' paid from ' || from_at || ' after ' || before as what
    from (select *, lag(to_at) over (partition by vm_id order by from_at, to_at) as before from months m) paid
    where from_at <> before and not (from_at > before and from_at = created_at and exists (
      select 1 from events where events.vm_id = paid.vm_id and type = 'vm.suspended' and events.created_at between before and from_at + ${skew}::interval))`,
  'grace that was used is paid, as long as the VM ran and no longer': sql`
    select vm_id || ' paid ' || amount_minor || ' for ' || from_at || ' to ' || to_at as what
    from graces grace, lateral (
      select case unit when 'add_on' then quantity else 1 end * unit_price::numeric * ${MINOR} * extract(epoch from to_at - from_at) as used,
        86400 as day
    ) as worked_out
    where not exists (select 1 from months where months.vm_id = grace.vm_id and months.to_at = grace.from_at)
      or to_at - from_at > interval '72 hours'
      or not exists (select 1 from events where events.vm_id = grace.vm_id and type = 'vm.suspended'
        and events.created_at between grace.to_at and grace.created_at + ${skew}::interval)
      -- Hours cost at most the month that was not paid, at the price that its renewal would have had: that of a month of this VM
      -- or of a notice. It is not that of the month that is bought with the grace, which is a new sale and may be cheaper.
      or case unit when 'hour' then amount_minor <> round(due_by_hour) and (amount_minor > due_by_hour
          or not exists (select 1 from charged sold where sold.vm_id = grace.vm_id and sold.unit in ('month', 'deposit') and sold.unit_price::numeric * ${MINOR} = amount_minor)
          and not exists (select 1 from events where events.vm_id = grace.vm_id and type = 'billing.price_change' and (metadata->>'price_monthly_minor')::numeric = amount_minor))
        else amount_minor not between floor(used / (31 * day)) and ceil(used / (28 * day)) end`,
  'no grace reaches into a month that is paid': sql`
    select grace.order_id || ' charges until ' || grace.to_at || ' what is paid from ' || paid.from_at as what
    from graces grace join months paid on paid.vm_id = grace.vm_id
    where paid.from_at < grace.to_at and grace.from_at < paid.to_at`,
  'what is renewed is paid for': sql`
    select vm_id || ' was renewed at ' || created_at || ' until ' || max(to_at) as what
    from months where kind = 'renew' group by vm_id, created_at having max(to_at) <= created_at`,
  'a month is dearer than the one before only after a notice in time': sql`
    with sold as (
      select vm_id, kind, order_id, from_at, to_at, created_at, position, proration, booked, unit_price::numeric as price
      from order_lines join orders on orders.id = order_id
        left join (select order_id as id, max(position) as booked from journal group by 1) as booking on booking.id = order_id
      where status = 'completed' and unit in ('month', 'deposit') and kind in ('create', 'renew', 'change_plan', 'change_custom')
    )
    select order_id || ' costs ' || price || ' a month after ' || before || ' from ' || from_at as what
    from (
      -- In the order of the bookings: clocks that differ have another.
      select *, lag(price) over (partition by vm_id order by booked, position) as before from sold where booked is not null
    ) line
    -- After a suspension it is a new sale, which begins as it is paid.
    where kind = 'renew' and not proration and price > before and from_at <> created_at
      -- A change in the last minutes of a month may cost nothing, and nothing is booked then.
      and not exists (select 1 from sold free
        where free.booked is null and free.vm_id = line.vm_id and free.to_at = line.from_at and free.price = line.price)
      and not exists (select 1 from events where events.vm_id = line.vm_id and type = 'billing.price_change'
        and (metadata->>'price_monthly_minor')::numeric = price * ${MINOR}
        and events.created_at <= from_at - ${`${PRICE_NOTICE_DAYS} days`}::text::interval)`,
  'no size is changed after the end of the period': sql`
    select order_id || ' was ordered at ' || created_at || ', the period ended ' || to_at as what
    from shares share where kind like 'change%' and unit in ('month', 'deposit') and created_at >= to_at`,
  'each step against an unpaid VM has one event a period': sql`
    select vm_id || ' has ' || count(*) || ' events of ' || min(type) || ', due ' || (metadata->>'due_at') as what
    from (select *, case when type = 'billing.ended' then 'billing.unpaid' else type end as step from events
      where type in ('billing.renewal_due', 'billing.unpaid', 'billing.ended', 'vm.suspended', 'billing.deletion_due')) told
    group by vm_id, step, metadata->>'due_at', metadata->>'days' having count(*) > 1`,
  'no order is pending for too long': sql`
    select id || ' is pending since ' || created_at as what from orders
    where status = 'pending' and created_at < ${new Date(now.getTime() - LONGEST_PENDING_HOURS * 3_600_000)}`,
  'a month is paid to the second, whatever changes it has seen': sql`
    select vm_id || ' paid ' || paid || ' for a month worth ' || round(exact, 3) as what from periods
    where paid - exact not between -0.5 and 0.5 + corrected`,
  'what is given up is paid back to the second, and never more than was paid': sql`
    select order_id || ' gives back ' || -charged.amount_minor || ', should be ' || expected as what
    from charged join periods on periods.vm_id = charged.vm_id and periods.to_at = charged.to_at,
      lateral (select greatest(0, floor(charged.unit_price::numeric * ${MINOR}
        * floor(extract(epoch from charged.to_at - charged.from_at)) / length - (exact - paid))) as expected) as worked_out
    where kind = 'delete_refund' and unit = 'month' and -charged.amount_minor not between expected - corrected and expected
      and not exists (select 1 from order_lines hours where hours.order_id = charged.order_id and hours.unit = 'hour')`,
  'what is given up by the hour leaves the hours that have begun to be paid, up to the price of the month': sql`
    select order_id || ' leaves ' || left_minor || ', should be ' || round(due, 3) as what
    from charged hours join periods on periods.vm_id = hours.vm_id and periods.to_at = month_end, lateral (
      select month_price::numeric * ${MINOR} * floor(extract(epoch from month_end - from_at)) / length as open,
        ceil(seconds / 3600) * unit_price::numeric * ${MINOR} as begun, paid + given_minor + amount_minor as left_minor
    ) as worked_out, lateral (select exact - open + least(open, begun) as due) as sum
    where kind = 'delete_refund' and unit = 'hour' and left_minor - due not between -0.500001 and 0.500001 + corrected`,
  'an hour costs what it cost when its month was sold': sql`
    select order_id || ' line ' || position || ' at ' || unit_price as what
    from charged hours where unit = 'hour' and kind <> 'renew' and not exists (
      select 1 from order_lines sale join orders on orders.id = sale.order_id
      where orders.vm_id = hours.vm_id and status = 'completed' and sale.from_at = hours.from_at
        and sale.price_hourly = hours.unit_price)`,
  'traffic and snapshots are charged at prices that the VM was sold': sql`
    select order_id || ' charges ' || amount_minor || ' for ' || quantity || ' ' || unit || ' at ' || unit_price as what
    from (select order_lines.*, orders.kind from order_lines join orders on orders.id = order_id
      where status = 'completed' and unit in ('GB', 'GB-month')) line
    where kind not in ('renew', 'delete_refund') or from_at > to_at
      or amount_minor not between floor((quantity - 1) * (unit_price::numeric - 0.000001) * ${MINOR}) and ceil(quantity * (unit_price::numeric + 0.000001) * ${MINOR})`,
  'every byte that was sent is settled or open, once': sql`
    select vms.id || ' has sent ' || meter.out_bytes || ', read ' || last.out_bytes as what
    from vms join traffic_meters meter on meter.vm_id = vms.id join lateral (
      select out_bytes from usage_readings where vm_id = vms.id order by position desc limit 1) last on true
    where last.out_bytes > meter.out_bytes`,
  'snapshots are charged by size and time': sql`
    select line.order_id || ' charges ' || line.amount_minor || ' for snapshots, should be ' || round(exact, 3) as what
    from (select order_lines.*, orders.vm_id from order_lines join orders on orders.id = order_id
      where status = 'completed' and kind = 'renew' and unit = 'GB-month') line
    join months month on month.vm_id = line.vm_id and month.from_at = line.from_at and month.to_at = line.to_at,
    lateral (select sum(size_bytes * greatest(0, extract(epoch from least(coalesce(until_at, line.to_at), line.to_at) - greatest(used.from_at, line.from_at))))
        / extract(epoch from line.to_at - line.from_at) / 1e9 * line.unit_price::numeric * ${MINOR} as exact
      from snapshot_usage used where used.vm_id = line.vm_id) worked_out
    where abs(exact - line.amount_minor) > 0.5`,
  'no month is paid before it begins': sql`
    select id || ' is paid from ' || billing_period_start_at as what from vms
    where deleted_at is null and billing_period_start_at > ${now}`,
  'no account has more than the quota': sql`
    select accounts.id || ' has ' || count(*) || ' VMs, ' || sum(vcpu) || ' vCPUs' as what
    from accounts join vms on account_id = accounts.id
    where deleted_at is null and not (vms.status = 'error' and provisioned_at is null)
    group by accounts.id having count(*) > (limits->'vms')::int or sum(vcpu) > (limits->'vcpu')::int`,
});
