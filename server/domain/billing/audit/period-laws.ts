import { type Sql, sql } from '../../../db/database.ts';
import { isSold } from '../../../db/queries/money/adjustments.ts';
import { isOfPeriod } from '../../../db/queries/money/orders.ts';
import { charged, latestSales } from './charged-lines.ts';
import { HOUR_LAWS } from './hour-laws.ts';
import type { AccountLaw, Scope } from './law.ts';

/**
 * The months that VMs were paid for. Usage during the grace period is renewed as a share, not as a month, and so is
 * traffic.
 */
export const months = (scope: Scope): Sql =>
  sql`(select * from ${charged(scope)} line where kind in ('create', 'renew') and not proration and ${isOfPeriod(sql`line`)})`;

/** Periods that VMs were paid for. */
export const PERIOD_LAWS: AccountLaw[] = [
  ...HOUR_LAWS,
  {
    name: 'the months of a VM follow each other',
    offences: (scope) => sql`
      select vm_id || ' paid from ' || from_at || ' after ' || before as what
      from (select vm_id, from_at, created_at, lag(to_at) over (partition by vm_id order by from_at, to_at) as before
        from ${months(scope)} month) paid
      -- One that was paid late, after a suspension, begins when it is paid.
      where from_at < before or (from_at > before and from_at <> created_at)`,
  },
  {
    name: 'a month lasts one month',
    offences: (scope) => sql`
      select vm_id || ' paid from ' || from_at || ' to ' || to_at as what from ${months(scope)} month
      where to_at - from_at not between interval '28 days' and interval '31 days'`,
  },
  {
    name: 'every share of a month belongs to a month that was paid',
    offences: (scope) => sql`
      select order_id || ' line ' || position as what from ${charged(scope)} share
      where proration and ${isOfPeriod(sql`share`)} and kind not in ('renew', 'adjustment') and not exists (
        select 1 from ${months(scope)} month where month.vm_id = share.vm_id and month.to_at = share.to_at)`,
  },
  {
    name: 'a VM is never refunded more than was paid for it',
    offences: (scope) => sql`
      select vm_id || ' nets ' || sum(amount_minor) as what
      from orders where status = 'completed' and vm_id is not null and ${scope(sql`account_id`)} and ${isSold(sql`orders`)}
      group by vm_id having sum(amount_minor) < 0`,
  },
  {
    name: 'a VM records its last paid period',
    offences: (scope) => sql`
      select vms.id || ' says ' || billing_period_start_at || ' to ' || billing_period_end_at || ', paid until ' || max(month.to_at) as what
      from vms join ${months(scope)} month on month.vm_id = vms.id
      -- A deletion that failed has ended the period.
      where ${scope(sql`vms.account_id`)} and deleted_at is null and deletion_failed_at is null and vms.status <> 'deleting'
      group by vms.id having max(month.to_at) <> billing_period_end_at
        or not bool_or(month.from_at = billing_period_start_at and month.to_at = billing_period_end_at)`,
  },
  {
    name: 'a VM records the price of its last sale',
    // A price has as many decimals as its currency.
    offences: (scope) => sql`
      select vms.id || ' says ' || price_monthly_minor || ', sold at ' || min(sale.unit_price) as what
      from vms join ${latestSales(scope, 'period')} sale on vm_id = vms.id
      where ${scope(sql`vms.account_id`)} and deleted_at is null
      group by vms.id having bool_and(price_monthly_minor <> replace(sale.unit_price, '.', '')::bigint)`,
  },
  {
    name: 'a VM is sold in the currency of its account',
    offences: (scope) => sql`
      select vms.id || ' is sold in ' || vms.currency || ', its account has ' || accounts.currency as what
      from vms join accounts on accounts.id = vms.account_id
      where ${scope(sql`vms.account_id`)} and vms.currency <> accounts.currency`,
  },
  {
    name: 'a VM records the tax rate of its last sale',
    offences: (scope) => sql`
      select vms.id || ' says ' || vms.tax_rate || ', sold at ' || min(sale.tax_rate) as what
      from vms join ${latestSales(scope, 'period')} sale on vm_id = vms.id
      where ${scope(sql`vms.account_id`)} and deleted_at is null
      group by vms.id having bool_and(vms.tax_rate <> sale.tax_rate)`,
  },
];
