import { sql } from '../../../db/database.ts';
import { isSold } from '../../../db/queries/money/adjustments.ts';
import type { AccountLaw } from './law.ts';

/** The change that an entry makes to the balance of promotional credit. */
const MOVEMENT = sql`case when credit = 'promo' then amount_minor when debit = 'promo' then -amount_minor else 0 end`;

/** Promotional credit: grants, what orders drew, and that it never becomes money. */
export const PROMO_LAWS: AccountLaw[] = [
  {
    name: 'promotional credit is given once, by its amount',
    offences: (scope) => sql`
      select c.id || ' is ' || c.amount_minor || ', the journal says ' || coalesce(j.given, 0) as what
      from promo_credits c left join (
        select promo_credit_id, sum(${MOVEMENT}) as given from journal
        where promo_credit_id is not null and reason = 'promo_grant' and ${scope(sql`account_id`)} group by promo_credit_id
      ) j on j.promo_credit_id = c.id
      where ${scope(sql`c.account_id`)} and c.amount_minor <> coalesce(j.given, 0)`,
  },
  {
    name: 'the remainder of promotional credit was neither drawn nor ended',
    offences: (scope) => sql`
      select c.id || ' has ' || c.remaining_minor || ' left, its history says '
        || coalesce(j.booked, 0) - coalesce(d.drawn, 0) as what
      from promo_credits c left join (
        select promo_credit_id, sum(${MOVEMENT}) as booked from journal
        where promo_credit_id is not null and ${scope(sql`account_id`)} group by promo_credit_id
      ) j on j.promo_credit_id = c.id left join (
        select promo_credit_id, sum(draw.amount_minor) as drawn
        from promo_draws draw join promo_credits on promo_credits.id = promo_credit_id
        where ${scope(sql`account_id`)} group by promo_credit_id
      ) d on d.promo_credit_id = c.id
      where ${scope(sql`c.account_id`)} and c.remaining_minor <> coalesce(j.booked, 0) - coalesce(d.drawn, 0)`,
  },
  {
    name: 'a wallet has the sum of its remaining promotional credit',
    offences: (scope) => sql`
      select w.account_id || ' has ' || w.promo_minor || ', left is ' || coalesce(c.remaining, 0) as what
      from wallets w left join (
        select account_id, sum(remaining_minor) as remaining from promo_credits
        where ${scope(sql`account_id`)} group by account_id
      ) c on c.account_id = w.account_id
      where ${scope(sql`w.account_id`)} and w.promo_minor <> coalesce(c.remaining, 0)`,
  },
  {
    name: 'an order draws promotional credit of its own account, as in the journal, up to its amount',
    offences: (scope) => sql`
      select o.id || ' (' || o.kind || ', ' || o.status || ', ' || o.amount_minor || ') drew ' || coalesce(d.drawn, 0)
        || ', the journal says ' || coalesce(j.drawn, 0) as what
      from orders o left join (
        select order_id, -sum(${MOVEMENT}) as drawn from journal
        where order_id is not null and 'promo' in (debit, credit) and ${scope(sql`account_id`)} group by order_id
      ) j on j.order_id = o.id left join (
        select order_id, sum(draw.amount_minor) as drawn, bool_and(c.account_id = orders.account_id) as own
        from promo_draws draw join orders on orders.id = order_id join promo_credits c on c.id = promo_credit_id
        where ${scope(sql`orders.account_id`)} group by order_id
      ) d on d.order_id = o.id
      where ${scope(sql`o.account_id`)} and (coalesce(j.drawn, 0) <> coalesce(d.drawn, 0) or not coalesce(d.own, true)
        or coalesce(d.drawn, 0) not between case o.status when 'completed' then least(o.amount_minor, 0) else 0 end
          and case o.status when 'failed' then 0 else greatest(o.amount_minor, 0) end)`,
  },
  {
    name: 'promotional credit that paid for a VM never becomes money',
    offences: (scope) => sql`
      select o.vm_id || ' drew ' || coalesce(sum(d.drawn), 0) || ' of ' || sum(o.amount_minor) as what
      from orders o left join (
        select order_id, sum(draw.amount_minor) as drawn
        from promo_draws draw join orders on orders.id = order_id where ${scope(sql`account_id`)} group by order_id
      ) d on d.order_id = o.id
      where ${scope(sql`o.account_id`)} and o.status = 'completed' and o.vm_id is not null and ${isSold(sql`o`)}
      group by o.vm_id having coalesce(sum(d.drawn), 0) not between 0 and greatest(sum(o.amount_minor), 0)`,
  },
];
