import type { Migration } from '../migrate.ts';

/** One-time tickets, share links and their viewers, and the host keys that guests have shown. */
export const consoles: Migration = {
  name: '0004-consoles',
  up: `
-- What a guest showed at first contact; another one later is somebody else, or a guest that was replaced.
create table guest_host_keys (
  vm_id id_text primary key references vms,
  fingerprint text not null,
  pinned_at timestamptz not null
);

-- A ticket is used by deleting its row: no second look can find it, whatever happens after.
create table console_tickets (
  hash bytea primary key,
  kind text not null,
  account_id id_text not null references accounts,
  vm_id id_text not null references vms,
  key_id id_text not null references api_keys,
  username text,
  cols integer,
  rows integer,
  expires_at timestamptz not null
);
create index console_tickets_by_expiry on console_tickets (expires_at);

create table console_shares (
  id id_text primary key,
  account_id id_text not null references accounts,
  vm_id id_text not null references vms,
  key_id id_text not null references api_keys,
  hash bytea not null unique,
  mode text not null,
  label text,
  max_viewers integer not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create index console_shares_by_vm on console_shares (vm_id, id);

-- Who looks now, on whichever node; seen_at is renewed, so that the viewers of a node that died stop counting.
create table console_viewers (
  id id_text primary key,
  share_id id_text not null references console_shares on delete cascade,
  seen_at timestamptz not null
);
create index console_viewers_by_share on console_viewers (share_id);
`,
  down: `
drop table console_viewers, console_shares, console_tickets, guest_host_keys;
`,
};
