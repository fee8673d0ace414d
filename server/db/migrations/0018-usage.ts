import type { Migration } from '../migrate.ts';

/**
 * What is charged by use, in arrears: traffic beyond what a plan includes, and snapshots. The records of it are only
 * ever added to, and sealed as the books are.
 */
export const usage: Migration = {
  name: '0018-usage',
  up: `
alter table vms
  -- Some of what it uses in the running period has a price.
  add column usage_priced boolean not null default false,
  -- How many of the notices of the traffic that is included were given in the running period.
  add column traffic_notices smallint not null default 0;
create index vms_by_traffic on vms (id) where deleted_at is null and usage_priced and traffic_notices < 2;

-- What a VM has sent in its whole life: the sum of its days.
create table traffic_meters (
  vm_id id_text primary key,
  out_bytes bigint not null check (out_bytes >= 0)
);
insert into traffic_meters select vm_id, sum(out_bytes)::bigint from bandwidth_days group by vm_id;

-- Under which terms a VM is used from an instant on, and what its meter read then. With an order everything before is
-- settled; without one, the terms have changed within a period, or begin with the VM.
create table usage_readings (
  vm_id id_text not null references vms,
  position integer not null,
  account_id id_text not null references accounts,
  from_at timestamptz not null,
  out_bytes bigint not null check (out_bytes >= 0),
  -- Traffic a month; null is unmetered.
  included_gb integer,
  -- Of a GB beyond that, and of a GB of snapshots a month, in major units; null is free.
  traffic_price numeric,
  snapshot_price numeric,
  order_id id_text references orders,
  seal bytea not null,
  primary key (vm_id, position)
);
create index usage_readings_by_account on usage_readings (account_id);
create trigger usage_readings_sealed before insert or update on usage_readings for each row execute function seal_row();
create trigger usage_readings_kept before update or delete on usage_readings for each row execute function refuse_book_change();
create trigger usage_readings_no_truncate before truncate on usage_readings execute function refuse_book_change();

-- A snapshot that is, or was, stored; it outlives the snapshot.
create table snapshot_usage (
  snapshot_id id_text primary key,
  account_id id_text not null references accounts,
  vm_id id_text not null references vms,
  size_bytes bigint not null check (size_bytes >= 0),
  from_at timestamptz not null,
  until_at timestamptz check (until_at >= from_at),
  seal bytea not null
);
create index snapshot_usage_by_vm on snapshot_usage (vm_id, until_at);
create index snapshot_usage_by_account on snapshot_usage (account_id);
create trigger snapshot_usage_sealed before insert or update on snapshot_usage for each row execute function seal_row();
create trigger snapshot_usage_kept before delete on snapshot_usage for each row execute function refuse_book_change();
create trigger snapshot_usage_no_truncate before truncate on snapshot_usage execute function refuse_book_change();
create function guard_snapshot_usage() returns trigger language plpgsql as $$
begin
  if old.until_at is not null or new.until_at is null
    or (new.snapshot_id, new.account_id, new.vm_id, new.size_bytes, new.from_at)
      is distinct from (old.snapshot_id, old.account_id, old.vm_id, old.size_bytes, old.from_at) then
    raise exception 'the use of snapshot % only ends, once', old.snapshot_id;
  end if;
  return new;
end $$;
create trigger snapshot_usage_ended before update on snapshot_usage for each row execute function guard_snapshot_usage();
insert into snapshot_usage (snapshot_id, account_id, vm_id, size_bytes, from_at)
  select id, account_id, vm_id, size_bytes, created_at from snapshots
  where status in ('available', 'deleting') and size_bytes is not null;
`,
  down: `
drop table snapshot_usage, usage_readings, traffic_meters;
drop function guard_snapshot_usage;
drop index vms_by_traffic;
alter table vms drop column usage_priced, drop column traffic_notices;
`,
};
