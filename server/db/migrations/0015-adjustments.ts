import type { Migration } from '../migrate.ts';

/** Corrections by the operator: who made them and why, outages that are credited, and keys so that none is made twice. */
export const adjustments: Migration = {
  name: '0015-adjustments',
  up: `
alter table orders add column adjustment text
  check (adjustment in ('credit', 'debit', 'refund', 'void', 'sla_credit'));
alter table orders add column reason text;
alter table orders add column actor text;
alter table orders add column corrects_order_id id_text references orders;
create index orders_by_corrected on orders (corrects_order_id) where corrects_order_id is not null;
create index orders_adjusted on orders (account_id, id desc) where adjustment is not null;

-- When a region or a VM was not available. One that is being credited no longer changes.
create table outages (
  id id_text primary key,
  region text,
  vm_id id_text references vms,
  from_at timestamptz not null,
  to_at timestamptz not null,
  reason text not null,
  actor text not null,
  status text not null default 'open' check (status in ('open', 'crediting', 'credited')),
  -- VMs up to this one, by their ids, have been looked at.
  credited_up_to id_text not null default '',
  created_at timestamptz not null,
  seal bytea not null,
  check ((region is null) <> (vm_id is null)),
  check (from_at < to_at)
);
create index outages_by_region on outages (region, from_at) where region is not null;
create index outages_by_vm on outages (vm_id, from_at) where vm_id is not null;
create trigger outages_sealed before insert or update on outages for each row execute function seal_row();
create function guard_outage() returns trigger language plpgsql as $$
begin
  if old.status = 'credited' or (tg_op = 'DELETE' and old.status <> 'open') then
    raise exception 'outage % has been credited and never changes', old.id;
  end if;
  if tg_op = 'DELETE' then return old; end if;
  if (new.id, new.region, new.vm_id, new.from_at, new.to_at, new.reason, new.actor, new.created_at)
    is distinct from (old.id, old.region, old.vm_id, old.from_at, old.to_at, old.reason, old.actor, old.created_at)
    or new.credited_up_to < old.credited_up_to or new.status = 'open' then
    raise exception 'outage % stays what it was reported as', old.id;
  end if;
  return new;
end $$;
create trigger outages_kept before update or delete on outages for each row execute function guard_outage();
create trigger outages_no_truncate before truncate on outages execute function refuse_book_change();

alter table orders add column outage_id id_text references outages;
create unique index orders_outage_once on orders (outage_id, vm_id) where outage_id is not null;
alter table orders add constraint orders_adjustment check (case
  when adjustment is null then coalesce(reason, actor, corrects_order_id, outage_id) is null
  else kind = 'adjustment' and reason is not null and actor is not null
    and (adjustment in ('refund', 'void')) = (corrects_order_id is not null)
    and (adjustment = 'sla_credit') = (outage_id is not null) end);

-- What may still be given back of the running period, once something of it has been corrected.
alter table vms add column refundable_minor bigint check (refundable_minor >= 0);

-- What an operator asked for under a key, and the answer.
create table operator_keys (
  key text primary key,
  fingerprint bytea not null,
  reply jsonb not null,
  created_at timestamptz not null
);
create trigger operator_keys_append_only before update or delete on operator_keys
  for each row execute function refuse_log_change();
`,
  down: `
drop table operator_keys;
alter table vms drop column refundable_minor;
alter table orders drop constraint orders_adjustment;
drop index orders_outage_once;
alter table orders drop column outage_id;
drop table outages;
drop function guard_outage;
alter table orders drop column adjustment, drop column reason, drop column actor, drop column corrects_order_id;
`,
};
