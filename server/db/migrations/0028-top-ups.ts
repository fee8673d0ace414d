import type { Migration } from '../migrate.ts';

/** Money that customers bring in themselves: top-ups, the methods they keep for it, and what goes back to its source. */
export const topUps: Migration = {
  name: '0028-top-ups',
  up: `
-- What a provider keeps for us, so that it can be charged again.
create table payment_methods (
  id id_text primary key,
  account_id id_text not null references accounts,
  provider text not null,
  -- As the provider knows them.
  customer_ref text not null,
  method_ref text not null,
  -- For people, such as "Visa 4242".
  label text not null,
  expires_on text,
  created_at timestamptz not null,
  removed_at timestamptz,
  unique (account_id, provider, method_ref)
);

create table auto_top_ups (
  account_id id_text primary key references accounts,
  enabled boolean not null,
  -- Below it the wallet is topped up by the amount.
  threshold_minor bigint not null check (threshold_minor > 0),
  amount_minor bigint not null check (amount_minor > 0),
  payment_method_id id_text references payment_methods,
  -- In a row; after some it is turned off.
  failures integer not null default 0,
  next_attempt_at timestamptz,
  last_error text,
  updated_at timestamptz not null,
  check (not enabled or payment_method_id is not null)
);
create index auto_top_ups_enabled on auto_top_ups (account_id) where enabled;

create table top_ups (
  id id_text primary key,
  account_id id_text not null references accounts,
  provider text not null,
  cause text not null check (cause in ('person', 'auto')),
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  status text not null check (status in ('pending', 'succeeded', 'failed', 'expired')),
  -- What the customer or the provider names when it is paid.
  reference text not null unique,
  -- As the provider knows what is charged, once it is known; what a refund names.
  provider_ref text,
  -- Whether the method is to be kept, and the one that was kept or charged.
  keep_method boolean not null,
  payment_method_id id_text references payment_methods,
  error text,
  -- The payment that it became.
  payment_id id_text unique references payments,
  principal_id id_text,
  created_at timestamptz not null,
  expires_at timestamptz,
  settled_at timestamptz,
  -- Of a charge whose outcome is not known: when it is asked for again.
  retry_at timestamptz,
  check ((status = 'succeeded') = (payment_id is not null)),
  check ((status = 'pending') = (settled_at is null)),
  -- What was paid once counts once.
  unique (provider, provider_ref)
);
create index top_ups_of_account on top_ups (account_id, id);
create index top_ups_pending on top_ups (account_id) where status = 'pending';
create index top_ups_to_expire on top_ups (expires_at) where status = 'pending' and expires_at is not null;
create index top_ups_to_retry on top_ups (retry_at) where status = 'pending' and retry_at is not null;

create table top_up_refunds (
  id id_text primary key,
  top_up_id id_text not null references top_ups,
  account_id id_text not null references accounts,
  amount_minor bigint not null check (amount_minor > 0),
  status text not null check (status in ('pending', 'succeeded', 'failed')),
  reason text not null,
  actor text not null,
  -- What it took out of the wallet, and where the provider refused, what it put back.
  payment_id id_text not null unique references payments,
  returned_payment_id id_text unique references payments,
  provider_ref text,
  error text,
  created_at timestamptz not null,
  settled_at timestamptz,
  retry_at timestamptz,
  check ((status = 'pending') = (settled_at is null)),
  check ((status = 'failed') = (returned_payment_id is not null))
);
create index top_up_refunds_of_top_up on top_up_refunds (top_up_id);
create index top_up_refunds_to_retry on top_up_refunds (retry_at) where status = 'pending' and retry_at is not null;
`,
  down: `
drop table top_up_refunds, top_ups, auto_top_ups, payment_methods;
`,
};
