import type { Migration } from '../migrate.ts';

/** When VMs of a drained host are moved that are switched off for it, and when their owners were told that each of them is. */
export const moveWindows: Migration = {
  name: '0044-move-windows',
  up: `
-- Null where they are moved at once.
alter table hosts add column moves_from_at timestamptz, add column moves_to_at timestamptz,
  add constraint hosts_moves_window check ((moves_from_at is null) = (moves_to_at is null) and moves_from_at < moves_to_at);
-- Null where no move was announced.
alter table vms add column move_from_at timestamptz, add column move_to_at timestamptz,
  add constraint vms_move_window check ((move_from_at is null) = (move_to_at is null) and move_from_at < move_to_at);
create index vms_with_move_window on vms (host_id) where move_from_at is not null and deleted_at is null;
`,
  down: `
drop index vms_with_move_window;
alter table vms drop column move_from_at, drop column move_to_at;
alter table hosts drop column moves_from_at, drop column moves_to_at;
`,
};
