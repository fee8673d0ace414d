-- The schema as the migrations make it. Generated: npm run schema. A test fails where it differs.

create domain id_text as text collate "C";

create table accounts (
  id id_text not null,
  name text not null,
  currency text not null,
  limits jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null,
  constraint accounts_pkey PRIMARY KEY (id)
);

create table agent_entries (
  vm_id id_text not null,
  seq integer not null,
  session_id id_text not null,
  run_id id_text not null,
  role text not null,
  content text,
  command text,
  command_id id_text,
  exit_code integer,
  created_at timestamp with time zone not null,
  constraint agent_entries_pkey PRIMARY KEY (vm_id, seq),
  constraint agent_entries_role_check CHECK ((role = ANY (ARRAY['user'::text, 'assistant'::text, 'command'::text, 'system'::text]))),
  constraint agent_entries_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
);

create table agent_runs (
  id id_text not null,
  account_id id_text not null,
  vm_id id_text not null,
  session_id id_text not null,
  key_id id_text not null,
  state text not null,
  stop_reason text,
  approval_mode text not null,
  max_steps integer not null,
  steps integer not null default 0,
  event_seq integer not null default 0,
  input_tokens bigint,
  output_tokens bigint,
  approval jsonb,
  owner bigint,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint agent_runs_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint agent_runs_approval_mode_check CHECK ((approval_mode = ANY (ARRAY['dangerous'::text, 'all'::text, 'never'::text]))),
  constraint agent_runs_check CHECK (((state = 'finished'::text) = (stop_reason IS NOT NULL))),
  constraint agent_runs_check1 CHECK (((state = 'awaiting_approval'::text) = (approval IS NOT NULL))),
  constraint agent_runs_check2 CHECK (((state = 'running'::text) = (owner IS NOT NULL))),
  constraint agent_runs_pkey PRIMARY KEY (id),
  constraint agent_runs_state_check CHECK ((state = ANY (ARRAY['running'::text, 'awaiting_approval'::text, 'finished'::text]))),
  constraint agent_runs_stop_reason_check CHECK ((stop_reason = ANY (ARRAY['completed'::text, 'max_steps'::text, 'canceled'::text, 'timeout'::text, 'error'::text]))),
  constraint agent_runs_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
);

create table agent_sessions (
  vm_id id_text not null,
  account_id id_text not null,
  id id_text not null,
  next_seq integer not null default 1,
  started_at timestamp with time zone not null,
  constraint agent_sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint agent_sessions_pkey PRIMARY KEY (vm_id),
  constraint agent_sessions_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
);

create table api_keys (
  id id_text not null,
  account_id id_text not null,
  name text not null,
  hash bytea not null,
  hint text not null,
  scopes text[] not null,
  allow_cidrs text[] not null default '{}'::text[],
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint api_keys_hash_key UNIQUE (hash),
  constraint api_keys_pkey PRIMARY KEY (id)
);

create table bandwidth_days (
  vm_id id_text not null,
  day date not null,
  in_bytes bigint not null,
  out_bytes bigint not null,
  constraint bandwidth_days_pkey PRIMARY KEY (vm_id, day)
);

create table console_shares (
  id id_text not null,
  account_id id_text not null,
  vm_id id_text not null,
  key_id id_text not null,
  hash bytea not null,
  mode text not null,
  label text,
  max_viewers integer not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint console_shares_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint console_shares_hash_key UNIQUE (hash),
  constraint console_shares_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id),
  constraint console_shares_pkey PRIMARY KEY (id),
  constraint console_shares_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
);

create table console_tickets (
  hash bytea not null,
  kind text not null,
  account_id id_text not null,
  vm_id id_text not null,
  key_id id_text not null,
  username text,
  cols integer,
  rows integer,
  expires_at timestamp with time zone not null,
  constraint console_tickets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint console_tickets_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id),
  constraint console_tickets_pkey PRIMARY KEY (hash),
  constraint console_tickets_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
);

create table console_viewers (
  id id_text not null,
  share_id id_text not null,
  seen_at timestamp with time zone not null,
  constraint console_viewers_pkey PRIMARY KEY (id),
  constraint console_viewers_share_id_fkey FOREIGN KEY (share_id) REFERENCES console_shares(id) ON DELETE CASCADE
);

create table events (
  id id_text not null,
  account_id id_text not null,
  vm_id id_text not null,
  type text not null,
  level text not null,
  message text not null,
  actor_type text not null,
  actor_id text,
  actor_ip text,
  job_id id_text,
  metadata jsonb not null default '{}'::jsonb,
  dedupe_key text,
  created_at timestamp with time zone not null,
  constraint events_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint events_pkey PRIMARY KEY (id),
  constraint events_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
);

create table firewall_rules (
  id id_text not null,
  account_id id_text not null,
  vm_id id_text not null,
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
  created_at timestamp with time zone not null,
  constraint firewall_rules_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint firewall_rules_pkey PRIMARY KEY (id),
  constraint firewall_rules_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
);

create table guest_host_keys (
  vm_id id_text not null,
  fingerprint text not null,
  pinned_at timestamp with time zone not null,
  constraint guest_host_keys_pkey PRIMARY KEY (vm_id),
  constraint guest_host_keys_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
);

create table idempotency_keys (
  account_id id_text not null,
  method text not null,
  path text not null,
  key text not null,
  fingerprint bytea not null,
  reply text not null,
  encrypted boolean not null,
  created_at timestamp with time zone not null,
  constraint idempotency_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint idempotency_keys_pkey PRIMARY KEY (account_id, method, path, key)
);

create table invoices (
  id id_text not null,
  account_id id_text not null,
  number integer not null,
  status text not null,
  period_start_at timestamp with time zone not null,
  period_end_at timestamp with time zone not null,
  currency text not null,
  tax_rate numeric not null,
  issued_at timestamp with time zone,
  paid_at timestamp with time zone,
  constraint invoices_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint invoices_account_id_number_key UNIQUE (account_id, number),
  constraint invoices_account_id_period_start_at_key UNIQUE (account_id, period_start_at),
  constraint invoices_pkey PRIMARY KEY (id)
);

create table ip_addresses (
  address inet not null,
  pool text not null,
  vm_id id_text,
  released_at timestamp with time zone,
  constraint ip_addresses_pkey PRIMARY KEY (address),
  constraint ip_addresses_pool_fkey FOREIGN KEY (pool) REFERENCES ip_pools(name),
  constraint ip_addresses_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
);

create table ip_pools (
  name text not null,
  network cidr not null,
  next_offset bigint not null,
  last_offset bigint not null,
  constraint ip_pools_pkey PRIMARY KEY (name)
);

create table jobs (
  id id_text not null,
  account_id id_text not null,
  vm_id id_text not null,
  kind text not null,
  status text not null,
  step integer not null default 0,
  undoing boolean not null default false,
  progress integer not null default 0,
  input jsonb not null default '{}'::jsonb,
  order_id id_text,
  owner bigint,
  error_code text,
  error_message text,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  constraint jobs_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint jobs_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id),
  constraint jobs_pkey PRIMARY KEY (id),
  constraint jobs_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
);

create table journal (
  id bigint not null generated always as identity,
  account_id id_text not null,
  debit text not null,
  credit text not null,
  amount_minor bigint not null,
  currency text not null,
  reason text not null,
  order_id id_text,
  payment_id id_text,
  created_at timestamp with time zone not null,
  constraint journal_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint journal_amount_minor_check CHECK ((amount_minor > 0)),
  constraint journal_check CHECK ((debit <> credit)),
  constraint journal_credit_check CHECK ((credit = ANY (ARRAY['cash'::text, 'wallet'::text, 'hold'::text, 'revenue'::text]))),
  constraint journal_debit_check CHECK ((debit = ANY (ARRAY['cash'::text, 'wallet'::text, 'hold'::text, 'revenue'::text]))),
  constraint journal_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id),
  constraint journal_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id),
  constraint journal_pkey PRIMARY KEY (id)
);

create table metric_rollups (
  vm_id id_text not null,
  step_seconds integer not null,
  chunk_start timestamp with time zone not null,
  points real[] not null,
  constraint metric_rollups_pkey PRIMARY KEY (vm_id, step_seconds, chunk_start)
);

create table metric_samples (
  vm_id id_text not null,
  at timestamp with time zone not null,
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
  constraint metric_samples_pkey PRIMARY KEY (vm_id, at)
);

create table migrations (
  name text not null,
  applied_at timestamp with time zone not null,
  constraint migrations_pkey PRIMARY KEY (name)
);

create table order_lines (
  order_id id_text not null,
  "position" integer not null,
  description text not null,
  quantity integer not null,
  unit text not null,
  unit_price text not null,
  amount_minor bigint not null,
  from_at timestamp with time zone not null,
  to_at timestamp with time zone not null,
  proration boolean not null,
  constraint order_lines_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id),
  constraint order_lines_pkey PRIMARY KEY (order_id, "position")
);

create table orders (
  id id_text not null,
  account_id id_text not null,
  vm_id id_text,
  kind text not null,
  status text not null,
  amount_minor bigint not null,
  balance_after_minor bigint not null,
  currency text not null,
  invoice_id id_text,
  created_at timestamp with time zone not null,
  settled_at timestamp with time zone,
  constraint orders_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint orders_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoices(id),
  constraint orders_pkey PRIMARY KEY (id),
  constraint orders_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
);

create table payments (
  id id_text not null,
  account_id id_text not null,
  method text not null,
  status text not null,
  amount_minor bigint not null,
  currency text not null,
  reference text not null,
  created_at timestamp with time zone not null,
  settled_at timestamp with time zone,
  constraint payments_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint payments_amount_minor_check CHECK ((amount_minor > 0)),
  constraint payments_pkey PRIMARY KEY (id)
);

create table port_claims (
  public_ip text not null,
  protocol text not null,
  port integer not null,
  forward_id id_text not null,
  constraint port_claims_forward_id_fkey FOREIGN KEY (forward_id) REFERENCES port_forwards(id) ON DELETE CASCADE,
  constraint port_claims_pkey PRIMARY KEY (public_ip, protocol, port)
);

create table port_forwards (
  id id_text not null,
  account_id id_text not null,
  vm_id id_text not null,
  protocol text not null,
  public_ip text not null,
  external_port integer not null,
  internal_ip text not null,
  internal_port integer not null,
  description text,
  status text not null,
  generation integer not null,
  created_at timestamp with time zone not null,
  constraint port_forwards_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint port_forwards_pkey PRIMARY KEY (id),
  constraint port_forwards_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
);

create unlogged table rate_windows (
  bucket text collate "C" not null,
  window_start bigint not null,
  used integer not null,
  constraint rate_windows_pkey PRIMARY KEY (bucket, window_start)
);

create table settings (
  name text not null,
  value jsonb not null,
  constraint settings_pkey PRIMARY KEY (name)
);

create table simulator_files (
  guest_id id_text not null,
  path text collate "C" not null,
  kind text not null,
  owner text not null,
  mode integer not null,
  size bigint not null,
  content bytea,
  modified_at timestamp with time zone not null,
  constraint simulator_files_guest_id_fkey FOREIGN KEY (guest_id) REFERENCES simulator_guests(id) ON DELETE CASCADE,
  constraint simulator_files_kind_check CHECK ((kind = ANY (ARRAY['file'::text, 'directory'::text, 'gone'::text]))),
  constraint simulator_files_pkey PRIMARY KEY (guest_id, path),
  constraint simulator_files_size_check CHECK ((size >= 0))
);

create table simulator_guests (
  id id_text not null,
  state jsonb not null,
  constraint simulator_guests_pkey PRIMARY KEY (id)
);

create table simulator_insides (
  guest_id id_text not null,
  host_key text not null,
  state jsonb not null,
  constraint simulator_insides_guest_id_fkey FOREIGN KEY (guest_id) REFERENCES simulator_guests(id) ON DELETE CASCADE,
  constraint simulator_insides_pkey PRIMARY KEY (guest_id)
);

create table snapshots (
  id id_text not null,
  account_id id_text not null,
  vm_id id_text not null,
  name text not null,
  description text,
  status text not null,
  size_bytes bigint,
  includes_memory boolean not null,
  created_at timestamp with time zone not null,
  constraint snapshots_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint snapshots_pkey PRIMARY KEY (id),
  constraint snapshots_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
);

create table ssh_keys (
  id id_text not null,
  account_id id_text not null,
  name text not null,
  fingerprint text not null,
  algorithm text not null,
  public_key text not null,
  created_at timestamp with time zone not null,
  constraint ssh_keys_account_id_fingerprint_key UNIQUE (account_id, fingerprint),
  constraint ssh_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint ssh_keys_pkey PRIMARY KEY (id)
);

create table vm_counters (
  vm_id id_text not null,
  at timestamp with time zone not null,
  counters jsonb not null,
  constraint vm_counters_pkey PRIMARY KEY (vm_id)
);

create table vm_ssh_keys (
  vm_id id_text not null,
  fingerprint text not null,
  public_key text not null,
  constraint vm_ssh_keys_pkey PRIMARY KEY (vm_id, fingerprint),
  constraint vm_ssh_keys_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
);

create table vms (
  id id_text not null,
  account_id id_text not null,
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
  price_monthly_minor bigint not null,
  currency text not null,
  auto_renew boolean not null,
  billing_anchor_day integer not null,
  billing_period_start_at timestamp with time zone not null,
  billing_period_end_at timestamp with time zone not null,
  unpaid_since timestamp with time zone,
  suspended_at timestamp with time zone,
  resume_after_payment boolean not null default false,
  provisioned_at timestamp with time zone,
  active_job_id id_text,
  last_job_id id_text,
  network_generation integer not null default 1,
  network_applied integer not null default 0,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint vms_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint vms_pkey PRIMARY KEY (id),
  constraint vms_price_monthly_minor_check CHECK ((price_monthly_minor >= 0))
);

create table wallets (
  account_id id_text not null,
  currency text not null,
  available_minor bigint not null default 0,
  held_minor bigint not null default 0,
  updated_at timestamp with time zone not null,
  constraint wallets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint wallets_available_minor_check CHECK ((available_minor >= 0)),
  constraint wallets_held_minor_check CHECK ((held_minor >= 0)),
  constraint wallets_pkey PRIMARY KEY (account_id)
);

CREATE INDEX agent_runs_by_age ON public.agent_runs USING btree (finished_at) WHERE (state = 'finished'::text);
CREATE UNIQUE INDEX agent_runs_one_a_vm ON public.agent_runs USING btree (vm_id) WHERE (state <> 'finished'::text);
CREATE INDEX api_keys_by_account ON public.api_keys USING btree (account_id, id);
CREATE INDEX console_shares_by_vm ON public.console_shares USING btree (vm_id, id);
CREATE INDEX console_tickets_by_expiry ON public.console_tickets USING btree (expires_at);
CREATE INDEX console_viewers_by_share ON public.console_viewers USING btree (share_id);
CREATE INDEX events_by_age ON public.events USING btree (created_at);
CREATE INDEX events_by_vm ON public.events USING btree (vm_id, id DESC);
CREATE UNIQUE INDEX events_once ON public.events USING btree (vm_id, dedupe_key) WHERE (dedupe_key IS NOT NULL);
CREATE INDEX firewall_rules_by_vm ON public.firewall_rules USING btree (vm_id, id DESC);
CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (created_at);
CREATE INDEX invoices_by_account ON public.invoices USING btree (account_id, id DESC);
CREATE INDEX ip_addresses_by_vm ON public.ip_addresses USING btree (vm_id) WHERE (vm_id IS NOT NULL);
CREATE INDEX ip_addresses_free ON public.ip_addresses USING btree (pool, released_at) WHERE (vm_id IS NULL);
CREATE INDEX jobs_by_vm ON public.jobs USING btree (vm_id, id DESC);
CREATE INDEX jobs_finished ON public.jobs USING btree (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX jobs_owned ON public.jobs USING btree (vm_id) WHERE (owner IS NOT NULL);
CREATE INDEX jobs_unfinished ON public.jobs USING btree (id) WHERE (status = ANY (ARRAY['pending'::text, 'running'::text]));
CREATE INDEX journal_by_account ON public.journal USING btree (account_id, id);
CREATE INDEX journal_by_order ON public.journal USING btree (order_id);
CREATE INDEX metric_rollups_by_age ON public.metric_rollups USING btree (step_seconds, chunk_start);
CREATE INDEX metric_samples_by_age ON public.metric_samples USING btree (at);
CREATE INDEX orders_by_account ON public.orders USING btree (account_id, id DESC);
CREATE INDEX orders_by_vm ON public.orders USING btree (vm_id, id DESC);
CREATE INDEX orders_pending ON public.orders USING btree (id) WHERE (status = 'pending'::text);
CREATE INDEX payments_by_account ON public.payments USING btree (account_id, id DESC);
CREATE INDEX port_claims_by_forward ON public.port_claims USING btree (forward_id);
CREATE INDEX port_forwards_by_vm ON public.port_forwards USING btree (vm_id, id DESC);
CREATE INDEX snapshots_by_vm ON public.snapshots USING btree (vm_id, id DESC);
CREATE INDEX ssh_keys_by_account ON public.ssh_keys USING btree (account_id, id DESC);
CREATE INDEX vms_by_account ON public.vms USING btree (account_id, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX vms_by_hostname ON public.vms USING btree (account_id, hostname, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX vms_by_period_end ON public.vms USING btree (billing_period_end_at) WHERE (deleted_at IS NULL);
CREATE INDEX vms_by_region ON public.vms USING btree (account_id, region, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX vms_by_status ON public.vms USING btree (account_id, status, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX vms_network_behind ON public.vms USING btree (id) WHERE ((deleted_at IS NULL) AND (network_applied < network_generation));
CREATE INDEX vms_running ON public.vms USING btree (id) WHERE ((deleted_at IS NULL) AND (status = ANY (ARRAY['running'::text, 'stopping'::text, 'rebooting'::text])));

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the journal is append-only';
end $function$;

CREATE TRIGGER journal_append_only BEFORE DELETE OR UPDATE ON public.journal FOR EACH ROW EXECUTE FUNCTION refuse_change();
