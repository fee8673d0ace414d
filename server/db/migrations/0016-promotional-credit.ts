import type { Migration } from '../migrate.ts';

/** Credit that is given rather than paid in: it has an end, is spent before the customer's own money, and never paid out. */
export const promotionalCredit: Migration = {
  name: '0016-promotional-credit',
  up: `
create table promo_credits (
  id id_text primary key,
  account_id id_text not null references accounts,
  amount_minor bigint not null check (amount_minor > 0),
  -- Not drawn by orders, and not ended: what can be spent of it.
  remaining_minor bigint not null check (remaining_minor between 0 and amount_minor),
  expires_at timestamptz not null,
  -- What comes back to it later ends as well.
  revoked_at timestamptz,
  reason text not null,
  actor text not null,
  created_at timestamptz not null,
  seal bytea not null
);
create index promo_credits_by_account on promo_credits (account_id, id desc);
create index promo_credits_left on promo_credits (account_id) where remaining_minor > 0;
create index promo_credits_by_end on promo_credits (coalesce(revoked_at, expires_at), id) where remaining_minor > 0;

create function guard_promo_credit() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - array['remaining_minor', 'revoked_at', 'seal'] <> to_jsonb(old) - array['remaining_minor', 'revoked_at', 'seal']
    or new.revoked_at is distinct from old.revoked_at and old.revoked_at is not null then
    raise exception 'promotional credit % is given once and never changes', old.id;
  end if;
  return new;
end $$;
create trigger promo_credits_given before update on promo_credits for each row execute function guard_promo_credit();
create trigger promo_credits_kept before delete on promo_credits for each row execute function refuse_book_change();
create trigger promo_credits_no_truncate before truncate on promo_credits execute function refuse_book_change();
create trigger promo_credits_sealed before insert or update on promo_credits for each row execute function seal_row();

-- What orders took of it (positive) and gave back to it (negative).
create table promo_draws (
  id bigint generated always as identity primary key,
  order_id id_text not null references orders,
  promo_credit_id id_text not null references promo_credits,
  amount_minor bigint not null check (amount_minor <> 0),
  seal bytea not null
);
create index promo_draws_by_order on promo_draws (order_id);
create index promo_draws_by_credit on promo_draws (promo_credit_id);
create trigger promo_draws_kept before update or delete on promo_draws for each row execute function refuse_book_change();
create trigger promo_draws_no_truncate before truncate on promo_draws execute function refuse_book_change();
create trigger promo_draws_sealed before insert on promo_draws for each row execute function seal_row();

-- How much of what is available is promotional.
alter table wallets add column promo_minor bigint not null default 0;
alter table wallets add constraint wallets_promo_minor_check check (promo_minor between 0 and available_minor);

-- Of entries that give or end promotional credit.
alter table journal add column promo_credit_id id_text references promo_credits;
create index journal_by_promo_credit on journal (promo_credit_id) where promo_credit_id is not null;
`,
  down: `
drop index journal_by_promo_credit;
alter table journal drop column promo_credit_id;
alter table wallets drop constraint wallets_promo_minor_check;
update wallets set available_minor = available_minor - promo_minor where promo_minor > 0;
alter table wallets drop column promo_minor;
drop table promo_draws, promo_credits;
drop function guard_promo_credit;
`,
};
