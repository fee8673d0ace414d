import type { Migration } from '../migrate.ts';

/** Entries of the journal that book lines of an order, in the order of the lines. */
const BOOKS_LINES = "('capture', 'charge', 'refund')";

/**
 * The trigger that notes the buyer of a line. Later migrations put a criterion first: `line` orders the lines of a corrected
 * order, `sold` those of the VM's earlier sales.
 */
export const noteLineBuyer = (line = '', sold = '') => `
create or replace function note_line_buyer() returns trigger language plpgsql as $$
declare
  of orders;
begin
  select * into of from orders where id = new.order_id;
  if of.corrects_order_id is not null then
    select line_buyer(line) into new.sold_to from order_lines line
      where order_id = of.corrects_order_id and unit <> 'deposit'
        and (tax_rate, tax_category) = (new.tax_rate, new.tax_category)
      order by ${line}(amount_minor < 0) = (new.amount_minor > 0) desc, (from_at, to_at) = (new.from_at, new.to_at) desc, position
      limit 1;
  elsif new.amount_minor < 0 and of.adjustment is distinct from 'credit' or new.unit = 'hour'
    or of.deposit_minor is not null and (new.unit = 'adjustment' or new.unit = 'month' and of.kind = 'hourly_usage') then
    select line_buyer(sold) into new.sold_to from orders sale join order_lines sold on sold.order_id = sale.id,
      lateral (select sold.from_at <= new.from_at and sold.to_at >= new.to_at as in_period) service
      where sale.vm_id = of.vm_id and sale.status = 'completed' and sold.amount_minor >= 0
        and (sold.tax_rate, sold.tax_category) = (new.tax_rate, new.tax_category)
        and (in_period or new.amount_minor < 0)
      order by ${sold}in_period desc, sale.id desc, sold.position desc limit 1;
  end if;
  new.sold_to := coalesce(new.sold_to, buyer_noted(of.buyer), '{}');
  return new;
end $$;`;

/**
 * Each line knows the country and the VAT id of its buyer, as they were when it was sold, and each entry of a sale knows
 * them and the tax category. Triggers note both, for nodes of the last release too. What was written before stays as it is
 * sealed: functions derive its buyer from its document.
 */
export const salesByCountry: Migration = {
  name: '0061-sales-by-country',
  up: `
-- {country, vat_id}; null in lines from before this. Both are absent if nothing was known of the buyer.
alter table order_lines add column sold_to jsonb;

-- Null in entries that are of no sale, and in those from before this.
alter table journal add column tax_category text;
alter table journal add column country text;
alter table journal add column vat_id text;

create index invoices_by_month on invoices (period_start_at, id);

create function buyer_noted(buyer jsonb) returns jsonb language sql immutable as $$
  select jsonb_strip_nulls(jsonb_build_object('country', buyer -> 'country', 'vat_id', buyer -> 'vat_id'))
$$;

-- Who bought a line: of one from before this, whoever its document names; a draft names the account's billing profile.
create function line_buyer(line order_lines) returns jsonb language sql stable as $$
  select coalesce(line.sold_to, (
    select buyer_noted(coalesce(invoices.buyer, to_jsonb(profile)))
    from orders left join invoices on invoices.id = orders.invoice_id
      left join billing_profiles profile on profile.account_id = orders.account_id
    where orders.id = line.order_id))
$$;

-- A correction has the buyer of the order that it corrects: of a line that it undoes rather than of one with its sign, and of
-- its period if possible. What gives back, and what is sold of a month or a deposit that is given back, have the buyer of
-- the latest sale of their VM whose tax they keep: if possible, of their period.
${noteLineBuyer()}
-- Its name puts it before the seal.
create trigger order_lines_buyer before insert on order_lines for each row execute function note_line_buyer();

-- What is pending is settled after this, by whichever release.
set local timezone = 'UTC';
alter table order_lines disable trigger user;
update order_lines line set sold_to = line_buyer(line) where order_id in (select id from orders where status = 'pending');
update order_lines set seal = row_seal(to_jsonb(order_lines)) where sold_to is not null;
alter table order_lines enable trigger user;

-- The line that an entry of an order books: entries follow the lines, each with its net and then its tax.
create function booked_line(entry journal) returns order_lines language sql as $$
  select (leg.line).* from (
    select line, row_number() over (order by position, number) as place, code, amount
    from order_lines line cross join lateral (
      values (1, 'net', amount_minor - tax_minor), (2, 'tax', tax_minor)) as part (number, code, amount)
    where order_id = entry.order_id and unit <> 'deposit' and amount <> 0
  ) leg, lateral (
    select case when entry.debit ~ '^(deferred|revenue|refunds|tax):' then entry.debit else entry.credit end as account
  ) rated
  where trim_scale((leg.line).tax_rate)::text = split_part(account, ':', 2)
  order by abs(amount) = entry.amount_minor and (code = 'tax') = (account like 'tax:%') desc,
    place = 1 + (select count(*) from journal before
      where before.order_id = entry.order_id and before.reason in ${BOOKS_LINES} and before.id < entry.id) desc, place
  limit 1
$$;

-- For nodes of the last release, which do not say it.
create function note_entry_buyer() returns trigger language plpgsql as $$
declare
  buyer jsonb;
begin
  select line.tax_category, line_buyer(line) into new.tax_category, buyer from booked_line(new) line;
  new.country := buyer ->> 'country';
  new.vat_id := buyer ->> 'vat_id';
  return new;
end $$;
create trigger journal_buyer before insert on journal for each row
  when (new.tax_category is null and new.order_id is not null and new.reason in ${BOOKS_LINES})
  execute function note_entry_buyer();
`,
  down: `
set local timezone = 'UTC';
drop index invoices_by_month;
drop trigger order_lines_buyer on order_lines;
drop trigger journal_buyer on journal;
drop function note_entry_buyer, note_line_buyer, booked_line(journal), line_buyer(order_lines), buyer_noted;
alter table order_lines disable trigger user;
create temporary table noted on commit drop as select order_id, position from order_lines where sold_to is not null;
alter table order_lines drop column sold_to;
update order_lines set seal = row_seal(to_jsonb(order_lines)) where (order_id, position) in (select order_id, position from noted);
alter table order_lines enable trigger user;

alter table journal disable trigger user;
create temporary table said on commit drop as select distinct account_id from journal where tax_category is not null;
alter table journal drop column tax_category, drop column country, drop column vat_id;
do $$
declare
  chain text;
  entry journal;
  head journal_heads;
begin
  for chain in select account_id from said loop
    head := row(chain, 0, ''::bytea);
    for entry in select * from journal where account_id = chain order by position loop
      head := row(chain, entry.position, journal_hash(head.hash, to_jsonb(entry)));
      update journal set hash = head.hash where id = entry.id;
    end loop;
    update journal_heads set hash = head.hash where journal_heads.chain = head.chain;
  end loop;
end $$;
alter table journal enable trigger user;
`,
};
