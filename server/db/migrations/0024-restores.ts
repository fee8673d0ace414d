import type { Migration } from '../migrate.ts';

/** Snapshots that a VM can be brought back to. */
export const restores: Migration = {
  name: '0024-restores',
  up: `
-- Fingerprint of the ops key that the snapshot's disk authorizes; null where it is not known.
alter table snapshots add column ops_key_fingerprint text;

-- Disks of simulated guests as they once were: snapshots, and what a rebuild has set aside.
create table simulator_disks (
  guest_id id_text not null references simulator_guests on delete cascade,
  name text not null,
  -- The guest; what simulator_insides has of it, if anything; the rows of simulator_files.
  guest jsonb not null,
  inside jsonb,
  files jsonb not null,
  primary key (guest_id, name)
);
`,
  down: `
drop table simulator_disks;
alter table snapshots drop column ops_key_fingerprint;
`,
};
