import type { Migration } from '../migrate.ts';

/** When VMs of a drained host are moved that are switched off for it, and when their owners were told that each of them is. */
export const moveWindows: Migration = {
  name: '0044-move-windows',
  up: `
-- Null where they are moved at once.
alter table hosts add column moves_from_at timestamptz, add column moves_to_at timestamptz,
  add constraint hosts_moves_window check ((moves_from_at is null) = (moves_to_at is null) and moves_from_at < moves_to_at);
-- Apart from vms, of which nodes of the last release read all columns by plans that a new one would end.
create table vm_move_windows (
  vm_id id_text primary key references vms,
  from_at timestamptz not null,
  to_at timestamptz not null check (to_at > from_at)
);
`,
  down: `
drop table vm_move_windows;
alter table hosts drop column moves_from_at, drop column moves_to_at;
`,
};
