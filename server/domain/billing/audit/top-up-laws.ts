import { sql } from '../../../db/database.ts';
import { REVERSAL_PAYMENTS } from '../../../db/queries/money/top-up-reversals.ts';
import type { AccountLaw } from './law.ts';

/** Top-ups by customers, and money that goes back to its source. */
export const TOP_UP_LAWS: AccountLaw[] = [
  {
    name: 'a top-up is paid exactly if its payment is in the wallet, once and in full',
    offences: (scope) => sql`
      select t.id || ' (' || t.status || ', ' || t.amount_minor || ') has ' || coalesce(p.amount_minor::text, 'no payment')
        || ', ' || count(j.id) || ' entries' as what
      from top_ups t left join payments p on p.id = t.payment_id
        left join journal j on j.payment_id = t.payment_id and j.account_id = t.account_id and j.reason = 'top_up'
          and j.credit = 'wallet' and j.debit = 'clearing:' || t.provider and j.amount_minor = t.amount_minor
      where ${scope(sql`t.account_id`)}
      group by t.id, t.status, t.amount_minor, t.account_id, t.currency, t.provider, p.id, p.amount_minor, p.account_id, p.currency, p.status, p.method
      having case t.status when 'succeeded' then count(j.id) <> 1 or p.id is null or (p.account_id, p.amount_minor, p.currency, p.status, p.method)
        is distinct from (t.account_id, t.amount_minor, t.currency, 'succeeded', t.provider) else p.id is not null end`,
  },
  {
    name: 'a payment belongs to one top-up, refund or reversal',
    offences: (scope) => sql`
      select payment_id || ' belongs to ' || string_agg(id, ', ' order by id) as what
      from (
        select payment_id, id from top_ups where payment_id is not null and ${scope(sql`account_id`)}
        union all select payment_id, id from top_up_refunds where ${scope(sql`account_id`)}
        union all select returned_payment_id, id from top_up_refunds where returned_payment_id is not null and ${scope(sql`account_id`)}
        union all select payment_id, id from top_up_reversals where payment_id is not null and ${scope(sql`account_id`)}
        union all select returned_payment_id, id from top_up_reversals where returned_payment_id is not null and ${scope(sql`account_id`)}
        union all select own.payment_id, reversal_id from top_up_reversal_payments own
          join top_up_reversals r on r.id = reversal_id where ${scope(sql`r.account_id`)}
      ) owner
      group by payment_id having count(*) > 1`,
  },
  {
    name: 'a top-up is never refunded beyond the amount paid',
    offences: (scope) => sql`
      select t.id || ' (' || t.status || ') brought ' || t.amount_minor || ', ' || sum(r.amount_minor) || ' was refunded' as what
      from top_ups t join top_up_refunds r on r.top_up_id = t.id
      where ${scope(sql`t.account_id`)} and r.status <> 'failed'
      group by t.id, t.status, t.amount_minor having t.status <> 'succeeded' or sum(r.amount_minor) > t.amount_minor`,
  },
  {
    name: 'a refund has left the wallet, and has returned to it if it failed',
    offences: (scope) => sql`
      select r.id || ' (' || r.status || ', ' || r.amount_minor || ') took ' || coalesce(p.amount_minor::text, 'nothing')
        || ' and returned ' || coalesce(b.amount_minor::text, 'nothing') as what
      from top_up_refunds r left join payments p on p.id = r.payment_id left join payments b on b.id = r.returned_payment_id
      where ${scope(sql`r.account_id`)} and ((p.account_id, p.amount_minor) is distinct from (r.account_id, -r.amount_minor)
        or (b.id is null) = (r.status = 'failed')
        or (b.id is not null and (b.account_id, b.amount_minor) is distinct from (r.account_id, r.amount_minor)))`,
  },
  {
    name: 'a reversal has left the wallet except for the part owed, and has returned to it if it was void',
    offences: (scope) => sql`
      select r.id || ' (' || r.status || ', ' || r.amount_minor || ') took ' || taken.amount as what
      from top_up_reversals r join top_ups t on t.id = r.top_up_id, lateral (
        select coalesce(-sum(p.amount_minor), 0) as amount, coalesce(bool_and(p.account_id = r.account_id and p.method = t.provider), true) as own
        from ${REVERSAL_PAYMENTS} own join payments p on p.id = own.id
      ) taken
      where ${scope(sql`r.account_id`)} and (t.status <> 'succeeded' or t.account_id <> r.account_id or not taken.own
        or not case r.status when 'taken' then taken.amount = r.amount_minor when 'void' then taken.amount = 0
          else taken.amount >= 0 and taken.amount < r.amount_minor end)`,
  },
  {
    name: 'the amount claimed from a wallet is the debt for reversed payments and deleted VMs',
    offences: (scope) => sql`
      select w.account_id || ' has claims of ' || w.claimed_minor || ', owed are ' || coalesce(sum(owed.amount), 0) as what
      from wallets w left join lateral (
        select r.amount_minor + coalesce((select sum(p.amount_minor) from ${REVERSAL_PAYMENTS} own join payments p on p.id = own.id), 0) as amount
        from top_up_reversals r where r.account_id = w.account_id and r.status = 'owed'
        union all select owed_minor from vm_debts where vm_debts.account_id = w.account_id
      ) owed on true
      where ${scope(sql`w.account_id`)}
      group by w.account_id, w.claimed_minor having w.claimed_minor <> coalesce(sum(owed.amount), 0)`,
  },
];
