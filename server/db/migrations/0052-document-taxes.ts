import type { Migration } from '../migrate.ts';

/**
 * The tax of a document is that of its base, by category and rate, and the difference to the tax of its sales is booked when
 * it is issued. Each sale knows who bought, and a draft whose e-invoice would break an official rule is held.
 *
 * Nodes of the last release may write next to it: what they issue has no `taxes` and is the sum of its lines, as it always
 * was, and the trigger notes who bought for their orders, too.
 */
export const documentTaxes: Migration = {
  name: '0052-document-taxes',
  up: `
-- What an issued document comes to by category and rate. Null for drafts and for what was issued before this: there, the
-- sums of the lines.
alter table invoices add column taxes jsonb;

-- The document that an entry with the reason 'rounding' belongs to.
alter table journal add column invoice_id id_text references invoices;

-- Who bought, as it was known when the order was placed; null if nothing was known. Its name puts it before the seal.
alter table orders add column buyer jsonb;
create function note_buyer() returns trigger language plpgsql as $$
begin
  select jsonb_build_object('name', name, 'street', street, 'city', city, 'postcode', postcode, 'country', country,
      'vat_id', vat_id, 'tax_number', null, 'registration_id', null, 'email', null)
    into new.buyer from billing_profiles where account_id = new.account_id;
  return new;
end $$;
create trigger orders_buyer before insert on orders for each row execute function note_buyer();

-- Drafts that are not issued, with the official rules that they would break. Gone once they are issued.
create table held_documents (
  invoice_id id_text primary key references invoices,
  reason text not null,
  rules jsonb not null,
  held_at timestamptz not null,
  checked_at timestamptz not null
);
`,
  down: `
set local timezone = 'UTC';
drop table held_documents;
drop trigger orders_buyer on orders;
drop function note_buyer;
alter table orders disable trigger user;
create temporary table bought on commit drop as select id from orders where buyer is not null;
alter table orders drop column buyer;
update orders set seal = row_seal(to_jsonb(orders)) where id in (select id from bought);
alter table orders enable trigger user;

-- A document is the sum of its lines again, and its difference to them was never booked.
alter table invoices disable trigger user;
create temporary table summed on commit drop as select id from invoices where taxes is not null;
alter table invoices drop column taxes;
update invoices set tax_minor = (select coalesce(sum(line.tax_minor), 0)
    from orders join order_lines line on order_id = orders.id where orders.invoice_id = invoices.id)
  where id in (select id from summed);
update invoices set seal = row_seal(to_jsonb(invoices)) where id in (select id from summed);
alter table invoices enable trigger user;

alter table journal disable trigger user;
create temporary table rounded on commit drop as select distinct account_id from journal where reason = 'rounding';
delete from journal where reason = 'rounding';
alter table journal drop column invoice_id;
do $$
declare
  chain text;
  entry journal;
  head journal_heads;
begin
  for chain in select account_id from rounded loop
    head := row(chain, 0, ''::bytea);
    for entry in select * from journal where account_id = chain order by position loop
      entry.position := head.position + 1;
      head := row(chain, entry.position, journal_hash(head.hash, to_jsonb(entry)));
      update journal set position = head.position, hash = head.hash where id = entry.id;
    end loop;
    update journal_heads set position = head.position, hash = head.hash where journal_heads.chain = head.chain;
  end loop;
end $$;
alter table journal enable trigger user;
`,
};
