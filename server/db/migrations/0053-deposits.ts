import type { Migration } from '../migrate.ts';

/** The month of a VM that is billed hourly is a deposit, which is held and not sold; its usage is sold when it ends. */
export const deposits: Migration = {
  name: '0053-deposits',
  up: `
-- The sum of an order's lines of unit "deposit", which sell nothing: they move money into the hold of a VM, or out of it. Null
-- without a default, so that orders of before, and those without such lines, keep their seals.
alter table orders add column deposit_minor bigint;
-- What is held for the running period of a VM, and since when. Null by the month, and of a period that was sold in advance: one
-- of before this migration, or of a node of the last release. Such a node leaves both columns as they are, which is how an
-- overlooked deposit is found: its VM is gone, or metered_since is another.
alter table vms
  add column deposit_minor bigint check (deposit_minor >= 0),
  add column deposit_since timestamptz,
  -- The end of the latest period whose usage was sold out of its deposit. Such a period is over whatever a clock says, unlike one
  -- that was sold in advance, which has no deposit either.
  add column usage_sold_until timestamptz,
  add constraint vms_deposit check ((deposit_minor is null) = (deposit_since is null));
-- A node of the last release would book a deposit as a sale: its job fails instead, and a node of this one does it.
create function guard_deposit() returns trigger language plpgsql as $$
begin
  if new.amount_minor - new.deposit_minor <> (
    select coalesce(sum(case when credit ~ '^(deferred|revenue|refunds|tax):' then amount_minor else -amount_minor end), 0)
    from journal where order_id = new.id and (credit ~ '^(deferred|revenue|refunds|tax):' or debit ~ '^(deferred|revenue|refunds|tax):')
  ) then
    raise exception 'order % would sell a deposit, which is only held', new.id;
  end if;
  return new;
end $$;
create trigger orders_deposit before update on orders for each row
  when (new.status = 'completed' and new.deposit_minor is not null) execute function guard_deposit();
-- A node of the last release would count deposits in what it issues: it knows neither them nor \`taxes\`. Its document gets
-- the sum of what is sold; there is no tax on a deposit. The name puts it before the seal.
create function leave_out_deposits() returns trigger language plpgsql as $$
begin
  new.total_minor := (select coalesce(sum(line.amount_minor), 0) from orders join order_lines line on order_id = orders.id
    where orders.invoice_id = new.id and unit <> 'deposit');
  return new;
end $$;
create trigger invoices_deposits before update on invoices for each row
  when (old.status = 'draft' and new.status <> 'draft' and new.taxes is null) execute function leave_out_deposits();
create index vms_deposits on vms (billing_period_end_at) where deposit_minor is not null;
`,
  down: `
set local timezone = 'UTC';
drop trigger invoices_deposits on invoices;
drop function leave_out_deposits;
drop trigger orders_deposit on orders;
drop function guard_deposit;
alter table vms drop column usage_sold_until, drop column deposit_since, drop column deposit_minor;
alter table orders disable trigger user;
create temporary table held on commit drop as select id from orders where deposit_minor is not null;
alter table orders drop column deposit_minor;
update orders set seal = row_seal(to_jsonb(orders)) where id in (select id from held);
alter table orders enable trigger user;
`,
};
