import type { Migration } from '../migrate.ts';

/** The browsers on which people have signed in, so that strangers who guess do not lock these out. */
export const knownDevices: Migration = {
  name: '0045-known-devices',
  up: `
create table known_devices (
  id id_text primary key,
  person_id id_text not null references people,
  hash bytea not null unique,
  created_at timestamptz not null,
  last_used_at timestamptz not null
);
create index known_devices_by_person on known_devices (person_id, last_used_at);
create index known_devices_by_use on known_devices (last_used_at);
`,
  down: `
drop table known_devices;
`,
};
