import type { Migration } from '../migrate.ts';

/** Payments that a provider has, and the books do not. */
export const unbookedPayments: Migration = {
  name: '0054-unbooked-payments',
  up: `
create table unbooked_payments (
  id id_text primary key,
  provider text not null,
  provider_ref text not null,
  -- As the provider was told: neither the top-up nor the account need exist here, so they refer to no table.
  top_up_id id_text not null,
  account_id id_text,
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  paid_at timestamptz not null,
  found_at timestamptz not null,
  decided_at timestamptz,
  decided_by text,
  -- Why it was dismissed.
  reason text,
  -- Where it was booked.
  payment_id id_text references payments,
  unique (provider, provider_ref),
  check (num_nulls(decided_at, decided_by) in (0, 2)),
  check (num_nonnulls(reason, payment_id) = case when decided_at is null then 0 else 1 end)
);
create index unbooked_payments_open on unbooked_payments (account_id) where decided_at is null;
`,
  down: `
drop table unbooked_payments;
`,
};
