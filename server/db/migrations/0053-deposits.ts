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
create index vms_deposits on vms (billing_period_end_at) where deposit_minor is not null;
`,
  down: `
drop trigger orders_deposit on orders;
drop function guard_deposit;
alter table vms drop column deposit_since, drop column deposit_minor;
alter table orders drop column deposit_minor;
`,
};
