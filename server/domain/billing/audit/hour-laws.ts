import { type Sql, sql } from '../../../db/database.ts';
import { isOfPeriod } from '../../../db/queries/money/orders.ts';
import { charged, latestSales } from './charged-lines.ts';
import type { AccountLaw, Scope } from './law.ts';

/**
 * Hours charged by a change, a deletion or the end of a month, each with the preceding line, which refunds the money
 * that was paid for them.
 */
const hours = (scope: Scope): Sql => sql`(
  select hours.*, given.amount_minor as given_minor, given.unit_price as month_price, given.from_at as given_from,
    given.to_at as given_to, ${isOfPeriod(sql`given`)} and given.amount_minor <= 0 as is_given
  from ${charged(scope)} hours left join ${charged(scope)} given
    on given.order_id = hours.order_id and given.position = hours.position - 1
  where hours.unit = 'hour' and hours.kind in ('change_plan', 'change_custom', 'hourly_usage', 'delete_refund'))`;

/** Minor units per major unit: the monthly price has as many decimals as the currency. */
const minor = sql`10::numeric ^ length(split_part(month_price, '.', 2))`;

/** Months that are billed hourly. */
export const HOUR_LAWS: AccountLaw[] = [
  {
    name: 'the amount held for a VM is the deposit of its running period',
    offences: (scope) => sql`
      select vms.id || ' (' || vms.status || ') says ' || coalesce(deposit_minor::text, 'nothing') || ' since '
        || coalesce(deposit_since::text, 'never') || ', held are ' || held.amount as what
      from vms, lateral (select coalesce(sum(deposit_minor), 0) as amount from orders
        where orders.vm_id = vms.id and orders.status = 'completed') held
      where ${scope(sql`vms.account_id`)} and provisioned_at is not null and (coalesce(deposit_minor, 0) <> held.amount or deposit_since is not null
        and (deposit_since is distinct from metered_since or vms.status = 'deleting' or deleted_at is not null
          or usage_sold_until = billing_period_end_at))`,
  },
  {
    name: 'hours are charged only if everything paid since is refunded, and never more than that',
    offences: (scope) => sql`
      select order_id || ' line ' || position || ' charges ' || amount_minor || ' from ' || from_at || ', refunds '
        || coalesce(given_minor::text, 'nothing') as what
      from ${hours(scope)} hours
      where is_given is not true or given_from <> from_at or to_at not between from_at and given_to
        or amount_minor not between 0 and -given_minor`,
  },
  {
    name: 'hours have the hourly price at which their month was sold',
    offences: (scope) => sql`
      select order_id || ' line ' || position || ' at ' || unit_price || ' from ' || from_at as what
      from ${hours(scope)} hours where not exists (
        select 1 from ${charged(scope)} sale
        where sale.vm_id = hours.vm_id and ${isOfPeriod(sql`sale`)} and sale.from_at = hours.from_at
          and sale.price_hourly = hours.unit_price)`,
  },
  {
    name: 'hours are counted as served, and cost their price, up to the amount paid',
    // The line also contains what earlier changes left over and the rounding of the other lines: at most two units.
    offences: (scope) => sql`
      select order_id || ' line ' || position || ' charges ' || amount_minor || ' for ' || quantity || ', should be ' || round(due, 2) as what
      from ${hours(scope)} hours, lateral (
        select floor(extract(epoch from to_at - from_at)) / 3600 as exactly
      ) as served, lateral (
        select case when proration then 1 else ceil(exactly) end as counted,
          case when proration then exactly else ceil(exactly) end * unit_price::numeric * ${minor} as due
      ) as worked_out
      where is_given and (quantity <> counted or amount_minor > due + 2
        or amount_minor < due - 2 and amount_minor < -given_minor - 2 and not exists (
          -- What a change kept back of a month that was corrected is taken off the next.
          select 1 from ${charged(scope)} made where made.vm_id = hours.vm_id and made.kind = 'adjustment'
            and made.from_at <= hours.from_at and made.to_at > hours.from_at))`,
  },
  {
    name: 'a VM records the hourly price of its running period and when its hours began',
    offences: (scope) => sql`
      select vms.id || ' says ' || coalesce(price_hourly_micros::text, 'nothing') || ' since ' || coalesce(metered_since::text, 'never')
        || ', sold at ' || coalesce(min(sale.price_hourly), 'no price') || ' from ' || max(sale.from_at) as what
      from vms join ${latestSales(scope, 'period')} sale on vm_id = vms.id
      where ${scope(sql`vms.account_id`)} and deleted_at is null
      group by vms.id having bool_and(price_hourly_micros is distinct from sale.price_hourly::numeric * 1000000
        or metered_since is distinct from case when sale.price_hourly is not null then sale.from_at end)`,
  },
];
