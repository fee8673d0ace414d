import type { Migration } from '../migrate.ts';

/** Operators sign in, too: people of a realm of their own, who can never be a member of an account. */
export const operators: Migration = {
  name: '0031-operators',
  up: `
alter table people add column realm text not null default 'customer' check (realm in ('customer', 'operator'));
-- Of an operator who was removed: the log goes on naming them.
alter table people add column removed_at timestamptz;
alter table people drop constraint people_email_key_key;
alter table people add constraint people_by_email unique (realm, email_key);
alter table people add constraint people_by_realm unique (id, realm);

-- The store itself keeps operators out of accounts, and so out of all that belongs to one.
alter table memberships add column realm text not null default 'customer' check (realm = 'customer');
alter table memberships add constraint memberships_of_customers foreign key (person_id, realm)
  references people (id, realm);

-- Unused for so long, a session is over.
alter table sessions add column idle_seconds integer not null default 604800 check (idle_seconds > 0);
alter table sessions alter column idle_seconds drop default;

-- Who did it in the browser: an address in place of a process, and where they were.
alter table operator_log add column email text;
alter table operator_log add column ip text;
`,
  down: `
alter table operator_log drop column ip;
alter table operator_log drop column email;
alter table sessions drop column idle_seconds;
alter table memberships drop constraint memberships_of_customers;
alter table memberships drop column realm;
alter table people drop constraint people_by_realm;
alter table people drop constraint people_by_email;
delete from audit_entries where person_id in (select id from people where realm = 'operator');
delete from recovery_codes where person_id in (select id from people where realm = 'operator');
delete from totps where person_id in (select id from people where realm = 'operator');
delete from webauthn_challenges where person_id in (select id from people where realm = 'operator');
delete from passkeys where person_id in (select id from people where realm = 'operator');
delete from mail_tokens where person_id in (select id from people where realm = 'operator');
delete from sessions where person_id in (select id from people where realm = 'operator');
delete from people where realm = 'operator';
alter table people drop column removed_at;
alter table people drop column realm;
alter table people add constraint people_email_key_key unique (email_key);
`,
};
