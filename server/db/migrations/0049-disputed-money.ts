import type { Migration } from '../migrate.ts';

/**
 * Credit that was drawn is known by line, so that it goes back by the period that it paid for; and a payment that is
 * taken back is collected in parts, may change, and may be lost after it was won.
 */
export const disputedMoney: Migration = {
  name: '0049-disputed-money',
  up: `
-- The line of the order that the credit pays for, or is given back by. Null without a default, so that draws of before,
-- and those of a failed order, keep their seals: they count for all lines of their order, by their amounts.
alter table promo_draws add column position int;

-- What was taken out of the wallet for a reversal (negative) and put back (positive), besides its columns payment_id and
-- returned_payment_id, which only nodes of the last release write.
create table top_up_reversal_payments (
  payment_id id_text primary key references payments,
  reversal_id id_text not null references top_up_reversals
);
create index top_up_reversal_payments_of_reversal on top_up_reversal_payments (reversal_id);
create trigger top_up_reversal_payments_kept before update or delete on top_up_reversal_payments for each row execute function refuse_book_change();
create trigger top_up_reversal_payments_no_truncate before truncate on top_up_reversal_payments execute function refuse_book_change();

-- A reversal that is owed may be taken in part. A node of the last release that takes such a one in full is refused by the
-- check of wallets.claimed_minor.
alter table top_up_reversals drop constraint top_up_reversals_check1;
-- When the provider said last what it is: what it said before then is outdated. The trigger fills the seal, for nodes of the
-- last release too.
alter table top_up_reversals add column told_at timestamptz, add column seal bytea;
create trigger top_up_reversals_sealed before insert or update on top_up_reversals for each row execute function seal_row();
update top_up_reversals set told_at = null;
`,
  down: `
drop trigger top_up_reversals_sealed on top_up_reversals;
update top_up_reversals set payment_id = (select min(p.id) from top_up_reversal_payments join payments p on p.id = payment_id
    where reversal_id = top_up_reversals.id and p.amount_minor < 0)
  where status <> 'owed' and payment_id is null;
update top_up_reversals set returned_payment_id = (select max(p.id) from top_up_reversal_payments join payments p on p.id = payment_id
    where reversal_id = top_up_reversals.id and p.amount_minor > 0)
  where status = 'void' and payment_id is not null and returned_payment_id is null;
-- What is left of it is what is owed.
update top_up_reversals set amount_minor = amount_minor + taken.amount from (
    select reversal_id, sum(p.amount_minor) as amount from top_up_reversal_payments join payments p on p.id = payment_id group by 1) taken
  where taken.reversal_id = top_up_reversals.id and status = 'owed';
alter table top_up_reversals drop column seal, drop column told_at;
alter table top_up_reversals add constraint top_up_reversals_check1
  check (case status when 'owed' then payment_id is null and returned_payment_id is null
    when 'taken' then payment_id is not null and returned_payment_id is null
    else (payment_id is null) = (returned_payment_id is null) end);
drop table top_up_reversal_payments;
alter table promo_draws drop column position;
`,
};
