import { sql } from '../../../db/database.ts';
import type { AccountLaw } from './law.ts';

/** Usage-based charges. */
export const USAGE_LAWS: AccountLaw[] = [
  {
    name: "a VM's meter never goes backwards",
    offences: (scope) => sql`
      select vm_id || ' read ' || out_bytes || ' at ' || from_at || ' after ' || before as what
      from (select *, lag(out_bytes) over (partition by vm_id order by position) as before
        from usage_readings where ${scope(sql`account_id`)} and (position = 1 or order_id is not null)) settled
      where out_bytes < before`,
  },
  {
    name: 'a meter is the sum of its days, and no more than that is settled',
    offences: (scope) => sql`
      select vms.id || ' has sent ' || coalesce(meter.out_bytes, 0) || ', its days are ' || coalesce(days.sent, 0)
        || ', settled are ' || coalesce(settled.out_bytes, 0) as what
      from vms left join traffic_meters meter on meter.vm_id = vms.id
        left join lateral (select sum(out_bytes) as sent from bandwidth_days where vm_id = vms.id) days on true
        left join lateral (select max(out_bytes) as out_bytes from usage_readings where vm_id = vms.id) settled on true
      where ${scope(sql`vms.account_id`)} and (coalesce(meter.out_bytes, 0) <> coalesce(days.sent, 0)
        or coalesce(settled.out_bytes, 0) > coalesce(meter.out_bytes, 0))`,
  },
  {
    name: 'no usage is charged twice',
    offences: (scope) => sql`
      select order_id || ' charges ' || unit || ' from ' || from_at || ', charged until ' || before as what
      from (select order_id, unit, from_at, lag(to_at) over (partition by vm_id, unit order by to_at, from_at) as before
        from order_lines join orders on orders.id = order_id
        where status = 'completed' and unit in ('GB', 'GB-month') and order_lines.amount_minor > 0
          and kind in ('renew', 'delete_refund') and ${scope(sql`account_id`)}) line
      where from_at < before`,
  },
  {
    name: 'a VM whose usage has a price records its terms',
    offences: (scope) => sql`
      select vms.id || ' has ' || count(reading.vm_id) || ' readings' as what
      from vms left join usage_readings reading on reading.vm_id = vms.id
      where ${scope(sql`vms.account_id`)} and usage_priced group by vms.id having count(reading.vm_id) = 0`,
  },
  {
    name: 'write-offs belong to deletions that the wallet did not cover',
    offences: (scope) => sql`
      select o.id || ' (' || o.kind || ', ' || o.amount_minor || ') has ' || j.amount_minor || ' written off, the wallet then had '
        || coalesce(o.balance_after_minor::text, 'nothing') as what
      from journal j join orders o on o.id = j.order_id
      where ${scope(sql`j.account_id`)} and 'write_off' in (j.debit, j.credit)
        and (o.kind <> 'delete_refund' or j.debit <> 'write_off' or j.amount_minor > o.amount_minor or o.balance_after_minor <> 0)`,
  },
  {
    name: 'the debt for a deleted VM is the unpaid part of the loan for its deletion',
    offences: (scope) => sql`
      select coalesce(d.order_id, lent.order_id) || ' (' || coalesce(o.kind, 'no order') || ', ' || coalesce(o.amount_minor, 0) || ') owes '
        || coalesce(d.owed_minor::text, 'nothing') || ', the journal says ' || lent.owed || ' of ' || lent.lent as what
      from (select * from vm_debts where ${scope(sql`account_id`)}) d full join (
        select order_id, account_id, sum(case when debit = 'receivable' then amount_minor else 0 end) as lent,
          sum(case when debit = 'receivable' then amount_minor else -amount_minor end) as owed
        from journal where 'receivable' in (debit, credit) and ${scope(sql`account_id`)} group by order_id, account_id
      ) lent on lent.order_id = d.order_id and lent.account_id = d.account_id left join orders o on o.id = lent.order_id
      where d.owed_minor is distinct from lent.owed or o.kind is distinct from 'delete_refund' or lent.lent > o.amount_minor`,
  },
  {
    name: 'a snapshot is stored from its creation until it is deleted',
    offences: (scope) => sql`
      select snapshot.id || ' is ' || snapshot.status || ', its use '
        || case when used.snapshot_id is null then 'is not recorded' else 'ended ' || used.until_at end as what
      from snapshots snapshot left join snapshot_usage used on used.snapshot_id = snapshot.id
      where ${scope(sql`snapshot.account_id`)} and snapshot.status = 'available' and snapshot.size_bytes is not null
        and (used.snapshot_id is null or used.until_at is not null)`,
  },
];
