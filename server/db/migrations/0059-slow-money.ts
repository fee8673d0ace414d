import type { Migration } from '../migrate.ts';

/** Payments that take days, the grace of an account, and debts that switch VMs off. */
export const slowMoney: Migration = {
  name: '0059-slow-money',
  up: `
-- Set while the provider is working on the payment of a pending top-up: when it is asked again. Such a top-up has no expires_at,
-- so nodes of the last release let it wait too.
alter table top_ups add column recheck_at timestamptz;
create index top_ups_to_recheck on top_ups (recheck_at) where status = 'pending' and recheck_at is not null;
-- When the account's last grace for unpaid VMs began.
alter table wallets add column grace_began_at timestamptz;
-- Since when a debt counts towards the suspension of VMs, of which the owner was warned then.
alter table wallets add column debt_warned_at timestamptz;
create index wallets_in_debt on wallets (account_id) where claimed_minor > 0 or debt_warned_at is not null;
-- When a VM was switched off because of its account's debt.
alter table vms add column debt_suspended_at timestamptz;
create index vms_suspended_for_debt on vms (id) where debt_suspended_at is not null;
-- What the provider has taken back of a payment that is in no books.
alter table unbooked_payments add column taken_back_minor bigint not null default 0 check (taken_back_minor >= 0);
`,
  down: `
alter table unbooked_payments drop column taken_back_minor;
update vms set status = 'stopped' where debt_suspended_at is not null and suspended_at is null and status = 'suspended';
alter table vms drop column debt_suspended_at;
drop index wallets_in_debt;
alter table wallets drop column debt_warned_at;
alter table wallets drop column grace_began_at;
update top_ups set expires_at = created_at + interval '14 days' where status = 'pending' and recheck_at is not null;
alter table top_ups drop column recheck_at;
`,
};
