import { type Sql, sql } from '../../../db/database.ts';
import { periodNet } from '../../../db/queries/money/adjustments.ts';
import { charged, latestSales } from './charged-lines.ts';
import type { AccountLaw, Scope } from './law.ts';
import { months } from './period-laws.ts';

const COMPLETED = sql`paid.status = 'completed'`;

/** The add-ons of VMs that are neither deleted nor being deleted, with their paid periods. */
const held = (scope: Scope): Sql => sql`(
  select vms.id as vm_id, item.* from vms, jsonb_to_recordset(add_ons) as item (code text, quantity int, price_minor bigint,
    tax_rate numeric, start_at timestamptz, end_at timestamptz, refundable_minor bigint)
  where ${scope(sql`account_id`)} and add_ons is not null and deleted_at is null and deletion_failed_at is null
    and status <> 'deleting')`;

/** The add-ons of VMs, item by item. */
export const ADD_ON_LAWS: AccountLaw[] = [
  {
    name: 'a VM records the terms on which its add-ons were sold',
    // A price has as many decimals as its currency.
    offences: (scope) => sql`
      select held.vm_id || ' has ' || held.quantity || ' of ' || held.code || ' at ' || held.price_minor || ' until ' || held.end_at
        || ', sold were ' || coalesce(min(sale.quantity)::text || ' at ' || min(sale.unit_price) || ' until ' || min(sale.to_at), 'none') as what
      from ${held(scope)} held left join ${latestSales(scope, 'add_ons')} sale on sale.vm_id = held.vm_id and sale.add_on = held.code
      group by held.vm_id, held.code, held.quantity, held.price_minor, held.tax_rate, held.end_at
      having bool_and(sale.vm_id is null or sale.amount_minor < 0
        or (held.quantity, held.price_minor, held.tax_rate, held.end_at)
          is distinct from (sale.quantity, replace(sale.unit_price, '.', '')::bigint, sale.tax_rate, sale.to_at))`,
  },
  {
    name: 'a VM has the add-ons that it has paid for',
    offences: (scope) => sql`
      select vms.id || ' has no ' || sale.add_on || ', paid until ' || max(sale.to_at) as what
      from vms join ${latestSales(scope, 'add_ons')} sale on vm_id = vms.id left join ${held(scope)} held
        on held.vm_id = vms.id and held.code = sale.add_on
      where ${scope(sql`vms.account_id`)} and deleted_at is null and deletion_failed_at is null and vms.status <> 'deleting'
        and held.vm_id is null and (by_booking = 1 or by_instant = 1 or sale.to_at = billing_period_end_at)
      group by vms.id, sale.add_on having bool_and(sale.amount_minor > 0 and sale.to_at = billing_period_end_at)`,
  },
  {
    name: 'add-ons are sold, refunded and corrected within the months of their VM',
    // Grace is renewed as a share of a month that was not paid.
    offences: (scope) => sql`
      select order_id || ' line ' || position || ' (' || add_on || ') from ' || from_at || ' to ' || to_at as what
      from ${charged(scope)} line
      where add_on is not null and (vm_id is null or unit not in ('add_on', 'adjustment')
        or unit = 'add_on' and not (kind = 'renew' and proration) and not exists (
          select 1 from ${months(scope)} month where month.vm_id = line.vm_id and month.to_at = line.to_at
            and case when line.proration then month.from_at <= line.from_at else month.from_at = line.from_at end))`,
  },
  {
    name: 'no month of an add-on is refunded beyond the amount paid for it',
    offences: (scope) => sql`
      select month.vm_id || ' from ' || month.from_at || ' nets ' || sum(part.amount_minor) || ' for ' || part.add_on as what
      from ${months(scope)} month join ${charged(scope)} part on part.vm_id = month.vm_id and part.add_on is not null
        and part.from_at >= month.from_at and part.to_at <= month.to_at and part.from_at < part.to_at
      group by month.vm_id, month.from_at, part.add_on having sum(part.amount_minor) < 0`,
  },
  {
    name: 'a VM records how much of its add-ons can still be refunded',
    offences: (scope) => sql`
      select vm_id || ' says ' || refundable_minor || ' of ' || code || ', paid are ' || net as what
      from ${held(scope)} held, lateral (
        select ${periodNet(sql`held.vm_id`, sql`start_at`, sql`end_at`, COMPLETED, sql`held.code`)} as net
      ) as period
      where refundable_minor <> net`,
  },
];
