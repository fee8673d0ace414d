import type { Migration } from '../migrate.ts';

/** What is inside a simulated guest: its host key, its services and log, its files. */
export const simulatedGuestsInside: Migration = {
  name: '0003-simulated-guests-inside',
  up: `
create table simulator_insides (
  guest_id id_text primary key references simulator_guests on delete cascade,
  host_key text not null,
  state jsonb not null
);

-- What differs from the image. A row of kind 'gone' hides a file of the image.
create table simulator_files (
  guest_id id_text not null references simulator_guests on delete cascade,
  path text collate "C" not null,
  kind text not null check (kind in ('file', 'directory', 'gone')),
  owner text not null,
  mode integer not null,
  size bigint not null check (size >= 0),
  content bytea,
  modified_at timestamptz not null,
  primary key (guest_id, path)
);
`,
  down: `
drop table simulator_files, simulator_insides;
`,
};
