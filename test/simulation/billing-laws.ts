import { type Sql, sql } from '../../server/db/database.ts';

/** Order lines that a VM was really charged or given back, with what they belong to. */
const charged = sql`(
  select vm_id, kind, order_id, position, order_lines.amount_minor, unit_price, from_at, to_at, proration
  from order_lines join orders on orders.id = order_id where status = 'completed')`;

/** The months that VMs were paid for. */
const months = sql`(select * from ${charged} charged where kind in ('create', 'renew'))`;

/**
 * What must be true of a bill, and the query that finds what contradicts it: rows of one text column `what`.
 * The prices of shares of a month are worked out here once more, in the database's decimals.
 */
export const billingLaws = (now: Date): Record<string, Sql> => ({
  'the months of a VM follow each other': sql`
    select vm_id || ' paid from ' || from_at || ' after ' || before as what
    from (select vm_id, from_at, lag(to_at) over (partition by vm_id order by from_at, to_at) as before from ${months} m) paid
    where from_at <> before`,
  'a month is a month': sql`
    select vm_id || ' paid from ' || from_at || ' to ' || to_at as what from ${months} months
    where to_at - from_at not between interval '28 days' and interval '31 days'`,
  'a share of a month is paid to the second': sql`
    select order_id || ' line ' || position || ' is ' || amount_minor || ', should be ' || expected as what
    from ${charged} share join lateral (
      select extract(epoch from months.to_at - months.from_at) as length,
        floor(extract(epoch from share.to_at - share.from_at)) as rest, share.unit_price::numeric * 100 as price
      from ${months} months where months.vm_id = share.vm_id and months.to_at = share.to_at
    ) month on true, lateral (
      -- May be worked out for lines of no length before those that are no months are left out.
      select case when amount_minor <= 0 and position = 1 then -floor(price * rest / nullif(floor(length), 0))
        else round(price * rest / nullif(floor(length), 0)) end as expected
    ) as worked_out
    where proration and amount_minor <> expected`,
  'every share of a month is of one that was paid': sql`
    select order_id || ' line ' || position as what from ${charged} share
    where proration and not exists (
      select 1 from ${months} months where months.vm_id = share.vm_id and months.to_at = share.to_at)`,
  'no month is paid before it begins': sql`
    select id || ' is paid from ' || billing_period_start_at as what from vms
    where deleted_at is null and billing_period_start_at > ${now}`,
  'nobody has more than the quota': sql`
    select accounts.id || ' has ' || count(*) || ' VMs, ' || sum(vcpu) || ' vCPUs' as what
    from accounts join vms on account_id = accounts.id
    where deleted_at is null and not (status = 'error' and provisioned_at is null)
    group by accounts.id having count(*) > (limits->'vms')::int or sum(vcpu) > (limits->'vcpu')::int`,
});
