import { type Sql, sql } from '../../../db/database.ts';
import type { AccountLaw } from './law.ts';

/** The change that an entry makes to a ledger account. */
const movement = (account: Sql) =>
  sql`case when credit = ${account} then amount_minor when debit = ${account} then -amount_minor else 0 end`;

/** Balances, and money that comes from outside. */
export const WALLET_LAWS: AccountLaw[] = [
  {
    name: 'the balances of a wallet match its journal',
    offences: (scope) => sql`
      select coalesce(w.account_id, j.account_id) || ' has ' || coalesce(w.available_minor, 0) || ' + '
        || coalesce(w.held_minor, 0) || ' held, its journal says ' || coalesce(j.available, 0) || ' + '
        || coalesce(j.held, 0) || '; promotional are ' || coalesce(w.promo_minor, 0) || ' and ' || coalesce(j.promo, 0) as what
      from (select * from wallets where ${scope(sql`account_id`)}) w full join (
        select account_id, sum(${movement(sql`'wallet'`)} + ${movement(sql`'promo'`)}) as available,
          sum(${movement(sql`'promo'`)}) as promo, sum(${movement(sql`'hold'`)}) as held
        from journal where ${scope(sql`account_id`)} group by account_id
      ) j on j.account_id = w.account_id
      where w.account_id is null or w.available_minor <> coalesce(j.available, 0)
        or w.promo_minor <> coalesce(j.promo, 0) or w.held_minor <> coalesce(j.held, 0)`,
  },
  {
    name: 'the held amount is that of pending orders and deposits',
    offences: (scope) => sql`
      select w.account_id || ' holds ' || w.held_minor || ', its orders ask for ' || coalesce(o.asked, 0) as what
      from wallets w left join (
        select account_id, sum(case status when 'pending' then greatest(amount_minor, 0) else coalesce(deposit_minor, 0) end) as asked
        from orders where (status = 'pending' or status = 'completed' and deposit_minor is not null)
          and ${scope(sql`account_id`)} group by account_id
      ) o on o.account_id = w.account_id
      where ${scope(sql`w.account_id`)} and w.held_minor <> coalesce(o.asked, 0)`,
  },
  {
    name: 'an account has one currency',
    offences: (scope) => sql`
      select kind || ' ' || id || ' is in ' || money.currency || ', its account in ' || wallets.currency as what
      from (
        select 'entry' as kind, id::text as id, account_id, currency from journal where ${scope(sql`account_id`)}
        union all select 'order', id, account_id, currency from orders where ${scope(sql`account_id`)}
        union all select 'payment', id, account_id, currency from payments where ${scope(sql`account_id`)}
        union all select 'invoice', id, account_id, currency from invoices where ${scope(sql`account_id`)}
        union all select 'account', id, id, currency from accounts where ${scope(sql`id`)}
      ) money join wallets on wallets.account_id = money.account_id
      where money.currency <> wallets.currency`,
  },
  {
    name: 'a payment is in the wallet once',
    offences: (scope) => sql`
      select p.id || ' (' || p.status || ') is ' || p.amount_minor || ', the journal says ' || coalesce(j.paid, 0) as what
      from payments p left join (
        select payment_id, sum(${movement(sql`'wallet'`)}) as paid from journal
        where payment_id is not null and ${scope(sql`account_id`)} group by payment_id
      ) j on j.payment_id = p.id
      where ${scope(sql`p.account_id`)}
        and coalesce(j.paid, 0) <> case p.status when 'succeeded' then p.amount_minor else 0 end`,
  },
  {
    name: 'an entry belongs to an order, payment, promotional credit or document of its account',
    offences: (scope) => sql`
      select j.account_id || ' entry ' || j.position || ' (' || j.reason || ', ' || j.amount_minor || ') is of '
        || coalesce(j.order_id, j.payment_id, j.promo_credit_id, j.invoice_id, 'none') as what
      from journal j left join orders o on o.id = j.order_id and o.account_id = j.account_id
        left join payments p on p.id = j.payment_id and p.account_id = j.account_id
        left join promo_credits c on c.id = j.promo_credit_id and c.account_id = j.account_id
        left join invoices i on i.id = j.invoice_id and i.account_id = j.account_id
      where ${scope(sql`j.account_id`)} and num_nonnulls(o.id, p.id, c.id, i.id) <> 1`,
  },
];
