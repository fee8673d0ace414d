import type { Migration } from '../migrate.ts';

/** Money of a top-up that its provider takes back by itself, and what it takes to come back to or cancel a top-up. */
export const topUpReversals: Migration = {
  name: '0032-top-up-reversals',
  up: `
-- What an account owes for payments that were taken back: nothing new is sold to it until that is paid.
alter table wallets add column claimed_minor bigint not null default 0 check (claimed_minor >= 0);

-- A refund or a dispute that began at the provider.
create table top_up_reversals (
  id id_text primary key,
  top_up_id id_text not null references top_ups,
  account_id id_text not null references accounts,
  kind text not null check (kind in ('refund', 'dispute')),
  -- As the provider knows it: each counts once.
  provider_ref text not null unique,
  amount_minor bigint not null check (amount_minor > 0),
  status text not null check (status in ('owed', 'taken', 'void')),
  -- What it took out of the wallet, and where it came to nothing after that, what it put back.
  payment_id id_text unique references payments,
  returned_payment_id id_text unique references payments,
  created_at timestamptz not null,
  settled_at timestamptz,
  check ((status = 'owed') = (settled_at is null)),
  check (case status when 'owed' then payment_id is null and returned_payment_id is null
    when 'taken' then payment_id is not null and returned_payment_id is null
    else (payment_id is null) = (returned_payment_id is null) end)
);
create index top_up_reversals_of_top_up on top_up_reversals (top_up_id);
create index top_up_reversals_owed on top_up_reversals (account_id) where status = 'owed';

-- The provider's page, which shows what is kept there, and its name for it.
alter table top_ups add column session_ref text, add column sealed_page text;
alter table top_ups drop constraint top_ups_status_check;
alter table top_ups add constraint top_ups_status_check
  check (status in ('pending', 'succeeded', 'failed', 'expired', 'canceled'));
`,
  down: `
update top_ups set status = 'expired' where status = 'canceled';
alter table top_ups drop constraint top_ups_status_check;
alter table top_ups add constraint top_ups_status_check check (status in ('pending', 'succeeded', 'failed', 'expired'));
alter table top_ups drop column session_ref, drop column sealed_page;
drop table top_up_reversals;
alter table wallets drop column claimed_minor;
`,
};
