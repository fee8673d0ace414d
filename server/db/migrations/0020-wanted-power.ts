import type { Migration } from '../migrate.ts';

/** What a VM's power should be, how often it was started again for that, and guests that no VM has. */
export const wantedPower: Migration = {
  name: '0020-wanted-power',
  up: `
alter table vms
  -- What its customer wants: kept through crashes, suspensions and reboots of the host.
  add column wanted_power text not null default 'off' check (wanted_power in ('on', 'off')),
  -- Starts by the service in a row since it last ran for a while, and when the next may be.
  add column restart_attempts integer not null default 0,
  add column restart_next_at timestamptz;
-- A VM in error, or that somebody's job is changing, is given its state by that job or by the reconciler.
update vms set wanted_power = 'on'
  where deleted_at is null and (status in ('running', 'starting', 'rebooting') or resume_after_payment);
create index vms_to_restart on vms (restart_attempts, id)
  where deleted_at is null and wanted_power = 'on' and status = 'stopped';
create index vms_restarted on vms (id) where deleted_at is null and restart_attempts > 0;

-- Guests that an engine has and no VM: only the operator may have them removed.
create table orphan_guests (
  engine text not null,
  guest_id text not null,
  vcpu integer,
  ram_mb integer,
  disk_gb integer,
  found_at timestamptz not null,
  primary key (engine, guest_id)
);
-- Not sold while the guest is there: it would answer on them.
create table orphan_addresses (
  address inet not null,
  engine text not null,
  guest_id text not null,
  primary key (address, engine, guest_id),
  foreign key (engine, guest_id) references orphan_guests on delete cascade
);
`,
  down: `
drop table orphan_addresses, orphan_guests;
drop index vms_to_restart, vms_restarted;
alter table vms drop column wanted_power, drop column restart_attempts, drop column restart_next_at;
`,
};
