import type { Migration } from '../migrate.ts';

/** Accounts, keys, money, VMs and their network, jobs, events, metrics. */
export const foundation: Migration = {
  name: '0001-foundation',
  up: `
-- Ids sort by the time they were made only when compared byte by byte, whatever the database's locale.
create domain id_text as text collate "C";

create table accounts (
  id id_text primary key,
  name text not null,
  currency text not null,
  limits jsonb not null default '{}',
  created_at timestamptz not null
);

create table api_keys (
  id id_text primary key,
  account_id id_text not null references accounts,
  name text not null,
  hash bytea not null unique,
  hint text not null,
  scopes text[] not null,
  allow_cidrs text[] not null default '{}',
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null
);
create index api_keys_by_account on api_keys (account_id, id);

-- Losing these on a crash only opens a window early, so they need no write-ahead log.
create unlogged table rate_windows (
  bucket text collate "C" not null,
  window_start bigint not null,
  used integer not null,
  primary key (bucket, window_start)
);

-- Money. A wallet's two figures are the running balances of its two ledger accounts; the checks are the
-- overdraft limit, held by the store under any interleaving.
create table wallets (
  account_id id_text primary key references accounts,
  currency text not null,
  available_minor bigint not null default 0 check (available_minor >= 0),
  held_minor bigint not null default 0 check (held_minor >= 0),
  updated_at timestamptz not null
);

create table payments (
  id id_text primary key,
  account_id id_text not null references accounts,
  method text not null,
  status text not null,
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  reference text not null,
  created_at timestamptz not null,
  settled_at timestamptz
);
create index payments_by_account on payments (account_id, id desc);

create table invoices (
  id id_text primary key,
  account_id id_text not null references accounts,
  number integer not null,
  status text not null,
  period_start_at timestamptz not null,
  period_end_at timestamptz not null,
  currency text not null,
  tax_rate numeric not null,
  issued_at timestamptz,
  paid_at timestamptz,
  unique (account_id, number),
  unique (account_id, period_start_at)
);
create index invoices_by_account on invoices (account_id, id desc);

create table vms (
  id id_text primary key,
  account_id id_text not null references accounts,
  hostname text not null,
  notes text,
  status text not null,
  plan text,
  template text not null,
  region text not null,
  zone text not null,
  vcpu integer not null,
  ram_mb integer not null,
  disk_gb integer not null,
  bandwidth_gb integer,
  mac text not null,
  price_monthly_minor bigint not null check (price_monthly_minor >= 0),
  currency text not null,
  auto_renew boolean not null,
  billing_anchor_day integer not null,
  billing_period_start_at timestamptz not null,
  billing_period_end_at timestamptz not null,
  unpaid_since timestamptz,
  suspended_at timestamptz,
  resume_after_payment boolean not null default false,
  -- Null until the first creation succeeded: such a VM was never paid for and has no guest.
  provisioned_at timestamptz,
  active_job_id id_text,
  last_job_id id_text,
  network_generation integer not null default 1,
  network_applied integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz
);
create index vms_by_account on vms (account_id, id desc) where deleted_at is null;
create index vms_by_status on vms (account_id, status, id desc) where deleted_at is null;
create index vms_by_region on vms (account_id, region, id desc) where deleted_at is null;
create index vms_by_hostname on vms (account_id, hostname, id desc) where deleted_at is null;
create index vms_by_period_end on vms (billing_period_end_at) where deleted_at is null;
create index vms_running on vms (id) where deleted_at is null and status in ('running', 'stopping', 'rebooting');
create index vms_network_behind on vms (id) where deleted_at is null and network_applied < network_generation;

create table orders (
  id id_text primary key,
  account_id id_text not null references accounts,
  vm_id id_text references vms,
  kind text not null,
  status text not null,
  -- Signed: a charge is positive, a refund negative.
  amount_minor bigint not null,
  balance_after_minor bigint not null,
  currency text not null,
  invoice_id id_text references invoices,
  created_at timestamptz not null,
  settled_at timestamptz
);
create index orders_by_account on orders (account_id, id desc);
create index orders_by_vm on orders (vm_id, id desc);
create index orders_pending on orders (id) where status = 'pending';

-- What an order is made of; it becomes the invoice's lines when the order completes.
create table order_lines (
  order_id id_text not null references orders,
  position integer not null,
  description text not null,
  quantity integer not null,
  unit text not null,
  unit_price text not null,
  amount_minor bigint not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  proration boolean not null,
  primary key (order_id, position)
);

-- The journal: one row moves one amount from one ledger account (debited) to another (credited), so debits
-- and credits are equal by construction. Append-only; a mistake is corrected by a transfer the other way.
create table journal (
  id bigint generated always as identity primary key,
  account_id id_text not null references accounts,
  debit text not null check (debit in ('cash', 'wallet', 'hold', 'revenue')),
  credit text not null check (credit in ('cash', 'wallet', 'hold', 'revenue')),
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  reason text not null,
  order_id id_text references orders,
  payment_id id_text references payments,
  created_at timestamptz not null,
  check (debit <> credit)
);
create index journal_by_account on journal (account_id, id);
create index journal_by_order on journal (order_id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the journal is append-only';
end $$;
create trigger journal_append_only before update or delete on journal
  for each row execute function refuse_change();

create table ssh_keys (
  id id_text primary key,
  account_id id_text not null references accounts,
  name text not null,
  fingerprint text not null,
  algorithm text not null,
  public_key text not null,
  created_at timestamptz not null,
  unique (account_id, fingerprint)
);
create index ssh_keys_by_account on ssh_keys (account_id, id desc);

create table vm_ssh_keys (
  vm_id id_text not null references vms,
  fingerprint text not null,
  public_key text not null,
  primary key (vm_id, fingerprint)
);

-- Addresses: a pool hands out never-used offsets in order; a released address rests in quarantine before
-- it is given to somebody else. The primary key makes a double assignment impossible.
create table ip_pools (
  name text primary key,
  network cidr not null,
  next_offset bigint not null,
  last_offset bigint not null
);
create table ip_addresses (
  address inet primary key,
  pool text not null references ip_pools,
  vm_id id_text references vms,
  released_at timestamptz
);
create index ip_addresses_by_vm on ip_addresses (vm_id) where vm_id is not null;
create index ip_addresses_free on ip_addresses (pool, released_at) where vm_id is null;

create table firewall_rules (
  id id_text primary key,
  account_id id_text not null references accounts,
  vm_id id_text not null references vms,
  direction text not null,
  action text not null,
  protocol text not null,
  ports text,
  cidrs text[] not null,
  priority integer not null,
  enabled boolean not null,
  description text,
  status text not null,
  generation integer not null,
  created_at timestamptz not null
);
create index firewall_rules_by_vm on firewall_rules (vm_id, id desc);

create table port_forwards (
  id id_text primary key,
  account_id id_text not null references accounts,
  vm_id id_text not null references vms,
  protocol text not null,
  public_ip text not null,
  external_port integer not null,
  internal_ip text not null,
  internal_port integer not null,
  description text,
  status text not null,
  generation integer not null,
  created_at timestamptz not null
);
create index port_forwards_by_vm on port_forwards (vm_id, id desc);
create table port_claims (
  public_ip text not null,
  protocol text not null,
  port integer not null,
  forward_id id_text not null references port_forwards on delete cascade,
  primary key (public_ip, protocol, port)
);
create index port_claims_by_forward on port_claims (forward_id);

create table snapshots (
  id id_text primary key,
  account_id id_text not null references accounts,
  vm_id id_text not null references vms,
  name text not null,
  description text,
  status text not null,
  size_bytes bigint,
  includes_memory boolean not null,
  created_at timestamptz not null
);
create index snapshots_by_vm on snapshots (vm_id, id desc);

create table jobs (
  id id_text primary key,
  account_id id_text not null references accounts,
  vm_id id_text not null references vms,
  kind text not null,
  status text not null,
  -- Steps done so far; while undoing, steps still to undo.
  step integer not null default 0,
  undoing boolean not null default false,
  progress integer not null default 0,
  input jsonb not null default '{}',
  order_id id_text references orders,
  -- The node that runs it now; a node that is gone is found by its advisory lock.
  owner bigint,
  error_code text,
  error_message text,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz
);
create index jobs_by_vm on jobs (vm_id, id desc);
create index jobs_unfinished on jobs (id) where status in ('pending', 'running');
create index jobs_owned on jobs (vm_id) where owner is not null;
create index jobs_finished on jobs (finished_at) where finished_at is not null;

create table events (
  id id_text primary key,
  account_id id_text not null references accounts,
  vm_id id_text not null references vms,
  type text not null,
  level text not null,
  message text not null,
  actor_type text not null,
  actor_id text,
  actor_ip text,
  job_id id_text,
  metadata jsonb not null default '{}',
  -- Set where the same happening may be reported twice.
  dedupe_key text,
  created_at timestamptz not null
);
create index events_by_vm on events (vm_id, id desc);
create index events_by_age on events (created_at);
create unique index events_once on events (vm_id, dedupe_key) where dedupe_key is not null;

create table idempotency_keys (
  account_id id_text not null references accounts,
  method text not null,
  path text not null,
  key text not null,
  fingerprint bytea not null,
  reply text not null,
  encrypted boolean not null,
  created_at timestamptz not null,
  primary key (account_id, method, path, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Metrics: raw samples for an hour or two, then arrays of a whole chunk in one row.
create table metric_samples (
  vm_id id_text not null,
  at timestamptz not null,
  cpu_percent real,
  ram_used_bytes real,
  disk_read_bytes_per_second real,
  disk_write_bytes_per_second real,
  disk_read_iops real,
  disk_write_iops real,
  net_in_bps real,
  net_out_bps real,
  net_in_pps real,
  net_out_pps real,
  primary key (vm_id, at)
);
create index metric_samples_by_age on metric_samples (at);
create table metric_rollups (
  vm_id id_text not null,
  step_seconds integer not null,
  chunk_start timestamptz not null,
  -- Ten series one after the other, each with one value (or null for a gap) a step of the chunk.
  points real[] not null,
  primary key (vm_id, step_seconds, chunk_start)
);
create index metric_rollups_by_age on metric_rollups (step_seconds, chunk_start);
create table vm_counters (
  vm_id id_text primary key,
  at timestamptz not null,
  counters jsonb not null
);
create table bandwidth_days (
  vm_id id_text not null,
  day date not null,
  in_bytes bigint not null,
  out_bytes bigint not null,
  primary key (vm_id, day)
);

-- Facts of the installation, such as the ops key; secrets in it are encrypted.
create table settings (
  name text primary key,
  value jsonb not null
);

-- The simulated engine's own memory.
create table simulator_guests (
  id id_text primary key,
  state jsonb not null
);
`,
  down: `
drop table simulator_guests, settings, bandwidth_days, vm_counters, metric_rollups, metric_samples,
  idempotency_keys, events, jobs, snapshots, port_claims, port_forwards, firewall_rules, ip_addresses, ip_pools,
  vm_ssh_keys, ssh_keys, journal, order_lines, orders, vms, invoices, payments, wallets, rate_windows, api_keys, accounts;
drop function refuse_change;
drop domain id_text;
`,
};
