import type { Migration } from '../migrate.ts';

/** The machines that guests run on, and which of them each VM is on: what is reserved is reserved of one. */
export const hosts: Migration = {
  name: '0036-hosts',
  up: `
-- As the engine last reported them. An order that reserves of a host holds its row until it is written.
create table hosts (
  -- The engine's own id of it; of an engine that has one host, what vms.engine says.
  id id_text primary key,
  engine text not null,
  name text not null,
  -- Codes of the catalog's zones in which its guests are; null is every one.
  zones text[],
  -- What the operator has made of it: up, being emptied, or empty. Beside it, since when it cannot be reached.
  state text not null default 'up' check (state in ('up', 'draining', 'evacuated')),
  lost_at timestamptz,
  -- For all guests together, with overcommit; null where there is no limit.
  vcpu double precision,
  cores double precision,
  ram_mb double precision,
  disk_gb double precision,
  seen_at timestamptz not null,
  unique (engine, name)
);
insert into hosts (id, engine, name, seen_at)
select engine, engine, engine, now() from (
  select engine from vms where deleted_at is null union select name from engines union select engine from orphan_guests
) as known where engine = 'simulator' or engine like 'qemu:%';
drop table engines;

-- Null until the order has found a host; the other one while it is being moved, when it counts on both.
alter table vms add column host_id id_text references hosts, add column moving_to id_text references hosts;
update vms set host_id = engine where deleted_at is null and engine in (select id from hosts);
create index vms_by_host on vms (host_id) where deleted_at is null;
create index vms_by_next_host on vms (moving_to) where moving_to is not null;
alter table orphan_guests add column host_id id_text references hosts;
update orphan_guests set host_id = engine where engine in (select id from hosts);

-- Simulated hosts that cannot be reached.
create table simulator_lost_hosts (
  id id_text primary key
);
`,
  down: `
drop table simulator_lost_hosts;
alter table orphan_guests drop column host_id;
drop index vms_by_next_host, vms_by_host;
alter table vms drop column moving_to, drop column host_id;
create table engines (
  name text primary key
);
insert into engines (name) select distinct engine from hosts;
drop table hosts;
`,
};
