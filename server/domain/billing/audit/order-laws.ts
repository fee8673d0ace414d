import { sql } from '../../../db/database.ts';
import { isDeposit, isSaleLine } from '../../../db/queries/money/orders.ts';
import { DOCUMENT_LAWS } from './document-laws.ts';
import type { AccountLaw } from './law.ts';
import { SALE_LAWS } from './sale-laws.ts';

/** Ledger accounts of revenue and of tax owed. Plain "revenue" is used by entries from before there were rates. */
const SELLER = '^(deferred|revenue|refunds|tax)(:|$)';

/** Orders, their lines and their documents. */
export const ORDER_LAWS: AccountLaw[] = [
  ...DOCUMENT_LAWS,
  ...SALE_LAWS,
  {
    name: "an order's journal entries match its status",
    offences: (scope) => sql`
      select o.id || ' (' || o.kind || ', ' || o.status || ', ' || o.amount_minor || ') brought the seller '
        || coalesce(j.earned, 0) || ', holds ' || coalesce(j.held, 0) as what
      from orders o left join (
        select order_id,
          sum(case when credit ~ ${SELLER} then amount_minor else 0 end
            - case when debit ~ ${SELLER} then amount_minor else 0 end) as earned,
          sum(case when credit = 'hold' then amount_minor when debit = 'hold' then -amount_minor else 0 end) as held
        from journal where order_id is not null and ${scope(sql`account_id`)} group by order_id
      ) j on j.order_id = o.id
      where ${scope(sql`o.account_id`)}
        and (coalesce(j.earned, 0) <> case o.status when 'completed' then o.amount_minor - coalesce(o.deposit_minor, 0) else 0 end
          or coalesce(j.held, 0) <> case o.status when 'pending' then greatest(o.amount_minor, 0)
            when 'completed' then coalesce(o.deposit_minor, 0) else 0 end)`,
  },
  {
    name: "an order's lines add up to its amount",
    offences: (scope) => sql`
      select o.id || ' is ' || o.amount_minor || ', its lines are ' || coalesce(sum(line.amount_minor), 0) as what
      from orders o left join order_lines line on order_id = o.id
      where ${scope(sql`o.account_id`)} group by o.id having o.amount_minor <> coalesce(sum(line.amount_minor), 0)`,
  },
  {
    name: "an order's deposit is the sum of its deposit lines",
    offences: (scope) => sql`
      select o.id || ' says ' || coalesce(o.deposit_minor::text, 'none') || ', its lines are ' || coalesce(lines.deposit::text, 'none') as what
      from orders o left join lateral (
        select sum(amount_minor) as deposit from order_lines where order_id = o.id and ${isDeposit(sql`order_lines`)}
      ) lines on true
      where ${scope(sql`o.account_id`)} and o.deposit_minor is distinct from lines.deposit`,
  },
  {
    name: "an order's tax is booked as on its lines",
    offences: (scope) => sql`
      select o.id || ' contains ' || lines.tax || ' of tax, the journal says ' || coalesce(j.tax, 0) as what
      from orders o join lateral (
        select coalesce(sum(tax_minor), 0) as tax from order_lines where order_id = o.id
      ) lines on true left join (
        select order_id, sum(case when credit like 'tax:%' then amount_minor else 0 end
          - case when debit like 'tax:%' then amount_minor else 0 end) as tax
        from journal where order_id is not null and ${scope(sql`account_id`)} group by order_id
      ) j on j.order_id = o.id
      where ${scope(sql`o.account_id`)} and o.status = 'completed' and lines.tax <> coalesce(j.tax, 0)`,
  },
  {
    name: 'a completed order that sells something is on a document of its account, and no other order is on one',
    offences: (scope) => sql`
      select o.id || ' is ' || o.status || ' on ' || coalesce(i.id, 'no document') as what
      from orders o left join invoices i on i.id = o.invoice_id and i.account_id = o.account_id
      where ${scope(sql`o.account_id`)} and (o.status = 'completed' and (o.deposit_minor is null or o.amount_minor <> o.deposit_minor or exists (
          select 1 from order_lines line where order_id = o.id and ${isSaleLine(sql`line`)} and line.amount_minor <> 0)))
          <> (i.id is not null)`,
  },
  {
    name: 'an order is settled exactly if it is completed or failed',
    offences: (scope) => sql`
      select id || ' is ' || status || ', settled ' || coalesce(settled_at::text, 'never') as what from orders
      where ${scope(sql`account_id`)} and (status = 'pending') <> (settled_at is null)`,
  },
  {
    name: 'sales are on invoices, refunds on credit notes',
    // Before there were credit notes, one invoice had both; those invoices have no number in a series.
    offences: (scope) => sql`
      select o.id || ' is ' || o.amount_minor || ' on ' || i.type || ' ' || i.id as what
      from orders o join invoices i on i.id = o.invoice_id
      where ${scope(sql`o.account_id`)} and (i.status = 'draft' or i.sequence is not null)
        and (o.amount_minor < coalesce(o.deposit_minor, 0)) <> (i.type = 'credit_note')`,
  },
  {
    name: 'a credit note corrects invoices issued before it',
    offences: (scope) => sql`
      select notes.id || ' corrects ' || sold.id || ' (' || sold.status || ')' as what
      from invoices notes join invoice_corrections on credit_note_id = notes.id join invoices sold on sold.id = invoice_id
      where ${scope(sql`notes.account_id`)} and notes.status <> 'draft'
        and (sold.status = 'draft' or sold.issued_at > notes.issued_at)`,
  },
  {
    name: 'a completed order records the balance of the wallet, and no other does',
    offences: (scope) => sql`
      select id || ' (' || status || ') says ' || coalesce(balance_after_minor::text, 'nothing') as what
      from orders where ${scope(sql`account_id`)} and (status = 'completed') <> (balance_after_minor is not null)`,
  },
];
