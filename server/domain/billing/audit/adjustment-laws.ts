import { sql } from '../../../db/database.ts';
import { isMonth, periodNet } from '../../../db/queries/money/adjustments.ts';
import { isSaleLine } from '../../../db/queries/money/orders.ts';
import type { AccountLaw } from './law.ts';

const COMPLETED = sql`paid.status = 'completed'`;

/** Corrections by the operator. */
export const ADJUSTMENT_LAWS: AccountLaw[] = [
  {
    name: 'a correction belongs to a completed order of its account and VM that is not a void',
    offences: (scope) => sql`
      select made.id || ' (' || made.adjustment || ') corrects ' || of.id || ' (' || of.status || ') of '
        || of.account_id || ', ' || coalesce(of.vm_id, 'no VM') as what
      from orders made join orders of on of.id = made.corrects_order_id
      where ${scope(sql`made.account_id`)} and (of.status <> 'completed' or of.adjustment = 'void'
        or (made.account_id, made.vm_id) is distinct from (of.account_id, of.vm_id))`,
  },
  {
    name: 'corrections of an order undo at most the amount sold',
    // A deposit is not sold. A correction refunds the hours that it paid for, which may be more than the order took.
    // A correction can be corrected once, and that cannot be corrected again.
    offences: (scope) => sql`
      select of.id || ' sold ' || sold.amount || ', its corrections are ' || made.amount as what
      from orders of join (
        select first.corrects_order_id, sum(first.amount_minor + coalesce(second.amount, 0)) as amount
        from orders first left join lateral (
          select sum(amount_minor) as amount from orders where corrects_order_id = first.id
        ) second on true
        where first.corrects_order_id is not null and ${scope(sql`first.account_id`)} group by 1
      ) made on made.corrects_order_id = of.id, lateral (
        select coalesce(sum(amount_minor), 0) as amount from order_lines where order_id = of.id and ${isSaleLine(sql`order_lines`)}
      ) sold
      where ${scope(sql`of.account_id`)} and (sold.amount + made.amount) * sign(sold.amount) < 0`,
  },
  {
    name: 'no month of a VM is refunded beyond the amount paid for it',
    offences: (scope) => sql`
      select sale.vm_id || ' from ' || sold.from_at || ' nets ' || net as what
      from orders sale join order_lines sold on sold.order_id = sale.id,
        lateral (select ${periodNet(sql`sale.vm_id`, sql`sold.from_at`, sql`sold.to_at`, COMPLETED)} as net) as month
      where ${scope(sql`sale.account_id`)} and ${isMonth(sql`sold`, sql`sale`)} and net < 0`,
  },
  {
    name: 'a VM records how much of its period can still be refunded',
    offences: (scope) => sql`
      select id || ' says ' || refundable_minor || ', paid are ' || net as what
      from vms, lateral (
        select ${periodNet(sql`vms.id`, sql`billing_period_start_at`, sql`billing_period_end_at`, COMPLETED)} as net
      ) as period
      where ${scope(sql`account_id`)} and deleted_at is null and deletion_failed_at is null and status <> 'deleting'
        and refundable_minor <> net`,
  },
  {
    name: 'credits for an outage belong to affected VMs and are recorded with it',
    offences: (scope) => sql`
      select orders.id || ' of ' || vms.id || ' (' || vms.region || ') is for ' || outages.id || ', ' || outages.status
        || ' up to ' || credited_up_to as what
      from orders join outages on outages.id = outage_id join vms on vms.id = orders.vm_id
      where ${scope(sql`orders.account_id`)} and (outages.status = 'open' or credited_up_to < vms.id
        or (vms.id is distinct from outages.vm_id and vms.region is distinct from outages.region))`,
  },
];
