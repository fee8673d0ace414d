import type { Migration } from '../migrate.ts';

/** Mails to people: written by the transaction that decides on one, sent afterwards. */
export const mails: Migration = {
  name: '0026-mails',
  up: `
create table mails (
  id id_text primary key,
  -- Whose account it is about; null where it is about a person alone.
  account_id id_text references accounts,
  recipient text not null,
  locale text not null,
  template text not null,
  -- What is filled in, sealed, for there may be a link in it that lets people in; gone once it has been sent.
  sealed_values text,
  status text not null check (status in ('pending', 'sent', 'failed')),
  -- What it is about, where that is told once and no more.
  dedupe_key text unique,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  last_error text,
  created_at timestamptz not null,
  settled_at timestamptz,
  check ((status = 'pending') = (settled_at is null)),
  check (status = 'sent' or sealed_values is not null)
);
create index mails_due on mails (next_attempt_at, id) where status = 'pending';
create index mails_failed on mails (id) where status = 'failed';
create index mails_settled on mails (settled_at) where settled_at is not null;
`,
  down: `
drop table mails;
`,
};
