import type { Migration } from '../migrate.ts';

/**
 * What documents say besides their amounts. The trigger notes the host name for orders of nodes of the last release too; what
 * they issue has nothing in `printed`, and looks as it did.
 */
export const documentDetails: Migration = {
  name: '0060-document-details',
  up: `
-- Of the VM when the line was sold; null if it is about no VM, and for lines from before this.
alter table order_lines add column hostname text;
create function note_hostname() returns trigger language plpgsql as $$
begin
  select vms.hostname into new.hostname from orders join vms on vms.id = orders.vm_id where orders.id = new.order_id;
  return new;
end $$;
-- Its name puts it before the seal.
create trigger order_lines_hostname before insert on order_lines for each row execute function note_hostname();

-- The language, order number and footer of an issued document.
alter table invoices add column printed jsonb;

alter table billing_profiles
  -- The customer's own number, which documents quote.
  add column order_reference text,
  -- Of documents; null is the language of the account's first owner.
  add column language text check (language in ('en', 'de')),
  -- Addresses that documents are mailed to; if there are none, they go to the owners.
  add column mail_to jsonb not null default '[]';
`,
  down: `
set local timezone = 'UTC';
alter table billing_profiles drop column mail_to, drop column language, drop column order_reference;

alter table invoices disable trigger user;
create temporary table detailed on commit drop as select id from invoices where printed is not null;
alter table invoices drop column printed;
update invoices set seal = row_seal(to_jsonb(invoices)) where id in (select id from detailed);
alter table invoices enable trigger user;

drop trigger order_lines_hostname on order_lines;
drop function note_hostname;
alter table order_lines disable trigger user;
create temporary table named on commit drop as select order_id, position from order_lines where hostname is not null;
alter table order_lines drop column hostname;
update order_lines set seal = row_seal(to_jsonb(order_lines))
  where (order_id, position) in (select order_id, position from named);
alter table order_lines enable trigger user;
`,
};
