import type { Migration } from '../migrate.ts';

/** Which engine made a VM's guest, and MAC addresses that are each one VM's. */
export const engines: Migration = {
  name: '0008-engines',
  up: `
-- "simulator", or "qemu:<id>" with the id of the directory that its guests are in; "qemu" alone where the guest was made
-- before this was recorded. Null where no guest was made yet: the first engine that starts takes those.
alter table vms add column engine text;
update vms set engine = 'simulator'
where deleted_at is null and exists (select 1 from simulator_guests where simulator_guests.id = vms.id);
update vms set engine = 'qemu'
where deleted_at is null and engine is null and provisioned_at is not null and status <> 'deleting';

-- Addresses that were drawn twice before the index forbade it: the guests have them, so the younger VMs' stay outside.
alter table vms add column mac_shared boolean not null default false;
update vms set mac_shared = true
where deleted_at is null
  and exists (select 1 from vms other where other.mac = vms.mac and other.deleted_at is null and other.id < vms.id);
create unique index vms_by_mac on vms (mac) where deleted_at is null and not mac_shared;
`,
  down: `
drop index vms_by_mac;
alter table vms drop column mac_shared, drop column engine;
`,
};
