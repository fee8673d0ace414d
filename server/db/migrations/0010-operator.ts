import type { Migration } from '../migrate.ts';

/** What operators do: accounts are suspended and closed, money is taken back, and every deed is on record. */
export const operator: Migration = {
  name: '0010-operator',
  up: `
alter table accounts add column status text not null default 'active'
  check (status in ('active', 'suspended', 'closed'));

-- Money that went back out, such as a payment that its bank recalled, is a negative payment.
alter table payments drop constraint payments_amount_minor_check;
alter table payments add constraint payments_amount_minor_check check (amount_minor <> 0);

-- Written before a deed, and its outcome after it: one without an outcome was cut off.
create table operator_log (
  id id_text primary key,
  -- As the kernel tells of the process at the other end of the socket; null where it cannot.
  uid bigint,
  pid integer,
  user_name text,
  -- Who had signed in on the machine, where that is another user: sudo does not change it.
  login_name text,
  deed text not null,
  input jsonb not null,
  created_at timestamptz not null
);
create table operator_outcomes (
  log_id id_text primary key references operator_log,
  status integer not null,
  created_at timestamptz not null
);
create function refuse_log_change() returns trigger language plpgsql as $$
begin
  raise exception 'the operator log is append-only';
end $$;
create trigger operator_log_append_only before update or delete on operator_log
  for each row execute function refuse_log_change();
create trigger operator_outcomes_append_only before update or delete on operator_outcomes
  for each row execute function refuse_log_change();
`,
  down: `
drop table operator_outcomes, operator_log;
drop function refuse_log_change;
alter table payments drop constraint payments_amount_minor_check;
-- Negative ones that are there stay on the books.
alter table payments add constraint payments_amount_minor_check check (amount_minor > 0) not valid;
alter table accounts drop column status;
`,
};
