import type { Migration } from '../migrate.ts';

/** What each VM has reserved of its engine, and VMs whose virtual CPUs have cores of their own. */
export const capacity: Migration = {
  name: '0021-capacity',
  up: `
-- Whoever reserves holds the row of the engine until the order is written; "simulator", or "qemu:<id>" as in vms.engine.
create table engines (
  name text primary key
);
-- From a VM's order until nothing of its guest is left, running or off. The larger of both sizes while it is changed.
create table reservations (
  vm_id id_text primary key references vms,
  vcpu integer not null check (vcpu >= 0),
  cores integer not null check (cores >= 0),
  ram_mb integer not null check (ram_mb >= 0),
  disk_gb integer not null check (disk_gb >= 0)
);
insert into reservations (vm_id, vcpu, cores, ram_mb, disk_gb)
select vms.id, greatest(vcpu, (input->>'vcpu')::int), 0, greatest(ram_mb, (input->>'ram_mb')::int),
  greatest(disk_gb, (input->>'disk_gb')::int)
from vms left join jobs on jobs.id = active_job_id and jobs.kind in ('change_plan', 'change_custom')
where deleted_at is null
  -- A creation that failed has left nothing, unless its addresses say that something may be left.
  and not (vms.status = 'error' and provisioned_at is null and not exists (
    select from ip_addresses where ip_addresses.vm_id = vms.id));

-- What was sold before shared its cores with others, and goes on so until it is changed.
alter table vms add column dedicated boolean not null default false;

-- The whole disk until the engine has said how much of it the snapshot can keep.
alter table snapshots add column reserved_gb integer not null default 0 check (reserved_gb >= 0);
update snapshots set reserved_gb = least(disk_gb, coalesce(ceil(size_bytes / 1000000000.0)::int, disk_gb))
from vms where vms.id = snapshots.vm_id and (snapshots.status <> 'error' or size_bytes is not null);
`,
  down: `
alter table snapshots drop column reserved_gb;
alter table vms drop column dedicated;
drop table reservations, engines;
`,
};
