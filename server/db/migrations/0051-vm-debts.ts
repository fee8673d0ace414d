import type { Migration } from '../migrate.ts';

/** What a deleted VM had used and the wallet did not cover is a debt of its account, and no longer written off. */
export const vmDebts: Migration = {
  name: '0051-vm-debts',
  up: `
-- By the order of the deletion; its entries of "receivable" add up to what is owed. Nodes of the last release still write
-- such an amount off, which owes nothing and has no row.
create table vm_debts (
  order_id id_text primary key references orders,
  account_id id_text not null references accounts,
  owed_minor bigint not null check (owed_minor >= 0)
);
create index vm_debts_owed on vm_debts (account_id) where owed_minor > 0;

-- Not validated: it allows all that the one before it did, and a scan of the journal would hold up every sale.
alter table journal drop constraint journal_accounts;
alter table journal add constraint journal_accounts check ((debit || ' ' || credit) ~
  '^((wallet|hold|promo|promo_expense|write_off|receivable|cash|revenue|clearing:[a-z][a-z0-9_]{0,31}|(deferred|revenue|refunds|tax):0([.][0-9]{1,6})?)( |$)){2}$')
  not valid;
`,
  down: `
alter table journal drop constraint journal_accounts;
-- Entries that were made in between keep their accounts.
alter table journal add constraint journal_accounts check ((debit || ' ' || credit) ~
  '^((wallet|hold|promo|promo_expense|write_off|cash|revenue|clearing:[a-z][a-z0-9_]{0,31}|(deferred|revenue|refunds|tax):0([.][0-9]{1,6})?)( |$)){2}$')
  not valid;
update wallets set claimed_minor = claimed_minor - owed.amount
  from (select account_id, sum(owed_minor)::bigint as amount from vm_debts group by 1) owed where owed.account_id = wallets.account_id;
drop table vm_debts;
`,
};
