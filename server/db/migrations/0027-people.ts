import type { Migration } from '../migrate.ts';

/** People who sign in to the panel, what they are in which account, and callers that are not keys. */
export const people: Migration = {
  name: '0027-people',
  up: `
create table people (
  id id_text primary key,
  -- As its owner writes it, and as it is found: in small letters.
  email text not null,
  email_key text not null unique,
  email_verified_at timestamptz,
  name text not null default '',
  locale text not null default 'en',
  -- Argon2id in PHC form; null for who has never set one.
  password_hash text,
  created_at timestamptz not null
);

create table memberships (
  id id_text primary key,
  person_id id_text not null references people,
  account_id id_text not null references accounts,
  role text not null check (role in ('owner', 'operator', 'viewer')),
  created_at timestamptz not null,
  unique (person_id, account_id)
);
create index memberships_by_account on memberships (account_id, id);

create table sessions (
  id id_text primary key,
  person_id id_text not null references people,
  -- The account that the panel shows; null for who is in none.
  account_id id_text references accounts,
  hash bytea not null unique,
  -- Signed in, or known by the password and still to show the second factor.
  stage text not null check (stage in ('second_factor', 'signed_in')),
  ip text not null,
  user_agent text not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  -- When its holder last proved to be its person.
  confirmed_at timestamptz
);
create index sessions_by_person on sessions (person_id, id);
create index sessions_by_end on sessions (expires_at);

create table mail_tokens (
  id id_text primary key,
  purpose text not null
    check (purpose in ('verify_email', 'reset_password', 'invitation', 'sign_in_link', 'change_email')),
  hash bytea not null unique,
  person_id id_text references people,
  -- Where it is sent: of an invitation who is meant, of a change the new address.
  email text not null,
  -- Of a sign-up: who they will be once the address is known to be theirs. Until then nobody is made, so that nobody
  -- can put a password of their own on an address of another's.
  newcomer jsonb,
  -- Of an invitation: to what.
  account_id id_text references accounts,
  role text check (role in ('owner', 'operator', 'viewer')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index mail_tokens_by_person on mail_tokens (person_id, purpose);
create index mail_tokens_by_account on mail_tokens (account_id, purpose);
create index mail_tokens_by_end on mail_tokens (expires_at);

create table passkeys (
  id id_text primary key,
  person_id id_text not null references people,
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_by_person on passkeys (person_id, id);

create table webauthn_challenges (
  hash bytea primary key,
  -- Null where nobody is known yet: at a sign-in.
  person_id id_text references people,
  expires_at timestamptz not null
);
create index webauthn_challenges_by_end on webauthn_challenges (expires_at);

create table totps (
  person_id id_text primary key references people,
  -- Sealed.
  secret text not null,
  -- Null until a code of it was shown: before that it guards nothing.
  confirmed_at timestamptz,
  -- The time step of the last code that was taken: neither it nor an earlier one is taken again.
  last_step bigint,
  created_at timestamptz not null
);

create table recovery_codes (
  person_id id_text not null references people,
  hash bytea not null,
  used_at timestamptz,
  primary key (person_id, hash)
);

create table audit_entries (
  id id_text primary key,
  -- Null for what concerns a person and no account.
  account_id id_text references accounts,
  person_id id_text references people,
  action text not null,
  -- What it was done to, by id.
  subject_id text,
  details jsonb not null default '{}',
  ip text,
  created_at timestamptz not null
);
create index audit_entries_by_account on audit_entries (account_id, id desc);
create index audit_entries_by_person on audit_entries (person_id, id desc);

-- Losing these on a crash only opens a window early, so they need no write-ahead log.
create unlogged table attempts (
  bucket text collate "C" primary key,
  used integer not null,
  ends_at timestamptz not null
);
create index attempts_by_end on attempts (ends_at);

-- A caller is a key or a person.
alter table console_tickets drop constraint console_tickets_key_id_fkey;
alter table console_tickets rename column key_id to principal_id;
-- What the terminal stands on: the key, or the person's session. Tickets live for seconds.
delete from console_tickets;
alter table console_tickets add column right_id id_text not null;
alter table console_shares drop constraint console_shares_key_id_fkey;
alter table console_shares rename column key_id to principal_id;
alter table agent_runs rename column key_id to principal_id;
`,
  down: `
alter table agent_runs rename column principal_id to key_id;
delete from console_viewers where share_id in
  (select id from console_shares where principal_id not in (select id from api_keys));
delete from console_shares where principal_id not in (select id from api_keys);
alter table console_shares rename column principal_id to key_id;
alter table console_shares add foreign key (key_id) references api_keys;
delete from console_tickets;
alter table console_tickets drop column right_id;
alter table console_tickets rename column principal_id to key_id;
alter table console_tickets add foreign key (key_id) references api_keys;
drop table attempts;
drop table audit_entries;
drop table recovery_codes;
drop table totps;
drop table webauthn_challenges;
drop table passkeys;
drop table mail_tokens;
drop table sessions;
drop table memberships;
drop table people;
`,
};
