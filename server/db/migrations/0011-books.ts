import type { Migration } from '../migrate.ts';

/**
 * Books that an accountant can keep: a chart of accounts, the tax rate on the line that was sold, credit notes, one
 * series of numbers for the seller, and a store that refuses to change what was issued, settled or booked.
 */
export const books: Migration = {
  name: '0011-books',
  up: `
-- The rate that the running period was sold at, and what rounding has left uncharged of it, in minor units times
-- seconds (negative where too much was charged).
alter table vms add column tax_rate numeric not null default 0;
alter table vms add column rounding_remainder bigint not null default 0;

alter table order_lines add column tax_rate numeric;
alter table order_lines add column tax_minor bigint;

-- Known once the order is settled, and never where it failed.
alter table orders alter column balance_after_minor drop not null;
update orders set balance_after_minor = null where status <> 'completed';
create index orders_by_invoice on orders (invoice_id) where invoice_id is not null;

-- Each line gets the rate of its invoice, the sum of the taxes being the tax that the invoice has always shown:
-- the last line takes what rounding leaves.
update order_lines set tax_rate = coalesce(
  (select invoices.tax_rate from orders join invoices on invoices.id = invoice_id where orders.id = order_id),
  (select tax_rate from invoices order by period_start_at desc, id desc limit 1), 0);
update order_lines set tax_minor = round(amount_minor * tax_rate / (1 + tax_rate));
with totals as (
  select invoice_id, max(order_lines.tax_rate) as tax_rate, sum(order_lines.amount_minor) as total, sum(tax_minor) as tax,
    max(array[order_id::text, lpad(position::text, 10, '0')]) as last
  from orders join order_lines on order_id = orders.id where invoice_id is not null group by invoice_id
)
update order_lines set tax_minor = tax_minor + round(total * totals.tax_rate / (1 + totals.tax_rate)) - tax
from totals where order_id = last[1] and position = last[2]::int;
alter table order_lines alter column tax_rate set not null;
alter table order_lines alter column tax_minor set not null;
alter table order_lines add check (tax_rate >= 0 and abs(tax_minor) <= abs(amount_minor) and sign(tax_minor) * sign(amount_minor) >= 0)
  not valid;
update vms set tax_rate = coalesce((
  select line.tax_rate from orders join order_lines line on order_id = orders.id
  where vm_id = vms.id and orders.status = 'completed' and kind <> 'delete_refund'
  order by orders.id desc, position desc limit 1), 0);

-- An invoice, or a credit note with what was given back. Only what is issued has a number: the sequence counts the
-- seller's documents of a type without a gap; those issued before there was one keep the number they have.
alter table invoices drop constraint invoices_account_id_number_key;
alter table invoices drop constraint invoices_account_id_period_start_at_key;
alter table invoices add column type text not null default 'invoice' check (type in ('invoice', 'credit_note'));
alter table invoices alter column type drop default;
alter table invoices alter column number drop not null;
alter table invoices alter column number type text
  using upper(right(account_id::text, 6)) || '-' || lpad(number::text, 4, '0');
alter table invoices add column sequence bigint;
alter table invoices add column total_minor bigint;
alter table invoices add column tax_minor bigint;
update invoices set number = null where status = 'draft';
update invoices set total_minor = sums.total, tax_minor = sums.tax
from (
  select invoices.id, coalesce(sum(order_lines.amount_minor), 0)::bigint as total,
    coalesce(sum(order_lines.tax_minor), 0)::bigint as tax
  from invoices left join orders on invoice_id = invoices.id and orders.status = 'completed'
    left join order_lines on order_id = orders.id
  group by invoices.id
) sums
where sums.id = invoices.id and status <> 'draft';
alter table invoices drop column tax_rate;
alter table invoices add constraint invoices_issued check (
  case when status = 'draft' then coalesce(number, sequence::text, issued_at::text, total_minor::text, tax_minor::text) is null
    else number is not null and issued_at is not null and total_minor is not null and tax_minor is not null end);
create unique index invoices_sequence on invoices (type, sequence) where sequence is not null;

-- What drafts give back goes to credit notes, which are named after their first order.
insert into invoices (id, account_id, type, status, period_start_at, period_end_at, currency)
select 'inv_' || substr(min(orders.id::text), 5), account_id, 'credit_note', 'draft', period_start_at, period_end_at,
  invoices.currency
from orders join invoices using (account_id)
where invoices.id = invoice_id and invoices.status = 'draft' and orders.amount_minor < 0
group by invoice_id, account_id, period_start_at, period_end_at, invoices.currency;
update orders set invoice_id = notes.id
from invoices sold, invoices notes
where sold.id = invoice_id and sold.status = 'draft' and amount_minor < 0 and notes.account_id = sold.account_id
  and notes.type = 'credit_note' and notes.status = 'draft' and notes.period_start_at = sold.period_start_at;
delete from invoices where status = 'draft' and not exists (select 1 from orders where invoice_id = invoices.id);
create unique index invoices_draft on invoices (account_id, type, period_start_at) where status = 'draft';

-- What a credit note corrects.
create table invoice_corrections (
  credit_note_id id_text not null references invoices,
  invoice_id id_text not null references invoices,
  primary key (credit_note_id, invoice_id)
);
create index invoice_corrections_by_invoice on invoice_corrections (invoice_id);
insert into invoice_corrections
select distinct refunds.invoice_id, sales.invoice_id
from invoices notes join orders refunds on refunds.invoice_id = notes.id join order_lines given on given.order_id = refunds.id
  join orders sales on sales.vm_id = refunds.vm_id and sales.status = 'completed' and sales.amount_minor > 0
  join order_lines sold on sold.order_id = sales.id and sold.to_at = given.to_at
where notes.type = 'credit_note';

-- The last number of each type, and when it was given: a number never carries a date before that of the one before it.
create table number_series (
  type text primary key,
  last bigint not null default 0,
  last_issued_at timestamptz
);
insert into number_series (type) values ('invoice'), ('credit_note');

-- The chart of accounts (domain/billing/chart.ts). What the old accounts "cash" and "revenue" held is moved to the new
-- ones by further entries, since the journal is only ever added to. Recognised revenue belongs to no customer, but to a day.
alter table journal alter column account_id drop not null;
alter table journal add column day date;
alter table journal drop constraint journal_debit_check;
alter table journal drop constraint journal_credit_check;
alter table journal add constraint journal_accounts check ((debit || ' ' || credit) ~
  '^((wallet|hold|promo|promo_expense|write_off|cash|revenue|clearing:[a-z][a-z0-9_]{0,31}|(deferred|revenue|refunds|tax):0([.][0-9]{1,6})?)( |$)){2}$');
alter table journal add constraint journal_recognition check ((account_id is null) = (reason = 'recognition') and (day is null) = (reason <> 'recognition'));
create unique index journal_recognized on journal (day, (case when debit like 'deferred:%' then debit else credit end))
  where reason = 'recognition';

insert into journal (account_id, debit, credit, amount_minor, currency, reason, payment_id, created_at)
select payments.account_id, case when amount_minor > 0 then code else 'cash' end,
  case when amount_minor > 0 then 'cash' else code end, abs(amount_minor), currency, 'reclassify', id, now()
from payments, lateral (select 'clearing:' || method as code) clearing
where exists (select 1 from journal where payment_id = payments.id and 'cash' in (debit, credit)) order by id;
insert into journal (account_id, debit, credit, amount_minor, currency, reason, order_id, created_at)
select account_id, case when amount > 0 then 'revenue' else code end, case when amount > 0 then code else 'revenue' end,
  abs(amount), currency, 'reclassify', orders.id, now()
from orders join order_lines line on order_id = orders.id, lateral (
  values (case when to_at > settled_at then 'deferred:' when line.amount_minor > 0 then 'revenue:' else 'refunds:' end
    || trim_scale(tax_rate), line.amount_minor - tax_minor), ('tax:' || trim_scale(tax_rate), tax_minor)
) leg (code, amount)
where orders.status = 'completed' and amount <> 0
order by orders.id, position, code;

create function refuse_book_change() returns trigger language plpgsql as $$
begin
  raise exception '% of % is refused: what is booked, settled or issued never changes', lower(tg_op), tg_table_name;
end $$;

create trigger journal_no_truncate before truncate on journal execute function refuse_book_change();

create function guard_order() returns trigger language plpgsql as $$
begin
  if old.status <> 'pending' then
    raise exception 'order % is settled and never changes', old.id;
  end if;
  if new.invoice_id is not null then
    perform 1 from invoices where id = new.invoice_id and account_id = new.account_id and status = 'draft';
    if not found then
      raise exception 'order % cannot be added to invoice %, which is no draft of its account', new.id, new.invoice_id;
    end if;
  end if;
  return new;
end $$;
create trigger orders_settled before update on orders for each row execute function guard_order();
create trigger orders_kept before delete on orders for each row execute function refuse_book_change();
create trigger orders_no_truncate before truncate on orders execute function refuse_book_change();

create function guard_order_line() returns trigger language plpgsql as $$
begin
  perform 1 from orders where id = new.order_id and status <> 'pending';
  if found then
    raise exception 'order % is settled and never changes', new.order_id;
  end if;
  return new;
end $$;
create trigger order_lines_settled before insert on order_lines for each row execute function guard_order_line();
create trigger order_lines_kept before update or delete on order_lines for each row execute function refuse_book_change();
create trigger order_lines_no_truncate before truncate on order_lines execute function refuse_book_change();

create function guard_invoice() returns trigger language plpgsql as $$
begin
  if old.status <> 'draft' then
    raise exception 'invoice % is issued and never changes', old.id;
  end if;
  if (new.id, new.account_id, new.type, new.currency, new.period_start_at, new.period_end_at)
    is distinct from (old.id, old.account_id, old.type, old.currency, old.period_start_at, old.period_end_at) then
    raise exception 'draft % keeps its account, type, currency and period', old.id;
  end if;
  return new;
end $$;
create trigger invoices_issued before update on invoices for each row execute function guard_invoice();
create trigger invoices_kept before delete on invoices for each row execute function refuse_book_change();
create trigger invoices_no_truncate before truncate on invoices execute function refuse_book_change();

create function guard_correction() returns trigger language plpgsql as $$
begin
  perform 1 from invoices where id = new.credit_note_id and type = 'credit_note' and status = 'draft';
  if not found then
    raise exception 'invoice % is no draft of a credit note', new.credit_note_id;
  end if;
  return new;
end $$;
create trigger invoice_corrections_issued before insert on invoice_corrections for each row execute function guard_correction();
create trigger invoice_corrections_kept before update or delete on invoice_corrections for each row execute function refuse_book_change();
create trigger invoice_corrections_no_truncate before truncate on invoice_corrections execute function refuse_book_change();

create function guard_series() returns trigger language plpgsql as $$
begin
  if new.type <> old.type or new.last <= old.last or new.last_issued_at < old.last_issued_at then
    raise exception 'the series of % only goes forward', old.type;
  end if;
  return new;
end $$;
create trigger number_series_forward before update on number_series for each row execute function guard_series();
create trigger number_series_kept before delete on number_series for each row execute function refuse_book_change();
create trigger number_series_no_truncate before truncate on number_series execute function refuse_book_change();
`,
  down: `
drop trigger number_series_no_truncate on number_series;
drop trigger number_series_kept on number_series;
drop trigger number_series_forward on number_series;
drop trigger invoice_corrections_no_truncate on invoice_corrections;
drop trigger invoice_corrections_kept on invoice_corrections;
drop trigger invoice_corrections_issued on invoice_corrections;
drop trigger invoices_no_truncate on invoices;
drop trigger invoices_kept on invoices;
drop trigger invoices_issued on invoices;
drop trigger order_lines_no_truncate on order_lines;
drop trigger order_lines_kept on order_lines;
drop trigger order_lines_settled on order_lines;
drop trigger orders_no_truncate on orders;
drop trigger orders_kept on orders;
drop trigger orders_settled on orders;
drop trigger journal_no_truncate on journal;
drop function guard_series, guard_correction, guard_invoice, guard_order_line, guard_order, refuse_book_change;

alter table journal disable trigger journal_append_only;
delete from journal where reason in ('reclassify', 'recognition');
-- A sale was booked to revenue, tax included, and money from outside to cash.
update journal set debit = case when debit like 'clearing:%' then 'cash' when debit like '%:%' then 'revenue' else debit end,
  credit = case when credit like 'clearing:%' then 'cash' when credit like '%:%' then 'revenue' else credit end;
alter table journal enable trigger journal_append_only;
drop index journal_recognized;
alter table journal drop constraint journal_recognition;
alter table journal drop constraint journal_accounts;
alter table journal add constraint journal_debit_check check (debit in ('cash', 'wallet', 'hold', 'revenue')) not valid;
alter table journal add constraint journal_credit_check check (credit in ('cash', 'wallet', 'hold', 'revenue')) not valid;
alter table journal drop column day;
alter table journal alter column account_id set not null;

drop table number_series, invoice_corrections;
-- One invoice a month, charges and refunds together, numbered for each account.
drop index invoices_draft, invoices_sequence;
alter table invoices drop constraint invoices_issued;
update orders set invoice_id = first.id
from invoices mine, lateral (
  select id from invoices other where other.account_id = mine.account_id and other.period_start_at = mine.period_start_at
  order by other.id limit 1
) first
where mine.id = invoice_id and first.id <> mine.id;
delete from invoices where exists (
  select 1 from invoices other where other.account_id = invoices.account_id
    and other.period_start_at = invoices.period_start_at and other.id < invoices.id);
alter table invoices add column tax_rate numeric;
update invoices set tax_rate = coalesce((
  select max(line.tax_rate) from orders join order_lines line on order_id = orders.id where invoice_id = invoices.id), 0);
alter table invoices alter column tax_rate set not null;
alter table invoices drop column tax_minor, drop column total_minor, drop column sequence, drop column type, drop column number;
alter table invoices add column number integer;
update invoices set number = numbered.number
from (select id, row_number() over (partition by account_id order by period_start_at, id) as number from invoices) numbered
where numbered.id = invoices.id;
alter table invoices alter column number set not null;
alter table invoices add constraint invoices_account_id_number_key unique (account_id, number);
alter table invoices add constraint invoices_account_id_period_start_at_key unique (account_id, period_start_at);

drop index orders_by_invoice;
update orders set balance_after_minor = 0 where balance_after_minor is null;
alter table orders alter column balance_after_minor set not null;
alter table order_lines drop column tax_minor, drop column tax_rate;
alter table vms drop column rounding_remainder, drop column tax_rate;
`,
};
