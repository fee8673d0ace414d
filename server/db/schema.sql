-- The schema as the migrations make it. Generated: npm run schema. A test fails where it differs.

create domain id_text as text collate "C";

create table accounts (
  id id_text not null,
  name text not null,
  currency text not null,
  limits jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null,
  status text not null default 'active'::text,
  smtp_open boolean not null default false,
  seal bytea,
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'closed'::text])))
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
  principal_id id_text not null,
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

create unlogged table attempts (
  bucket text collate "C" not null,
  used integer not null,
  ends_at timestamp with time zone not null,
  constraint attempts_pkey PRIMARY KEY (bucket)
);

create table audit_entries (
  id id_text not null,
  account_id id_text,
  person_id id_text,
  action text not null,
  subject_id text,
  details jsonb not null default '{}'::jsonb,
  ip text,
  created_at timestamp with time zone not null,
  constraint audit_entries_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint audit_entries_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint audit_entries_pkey PRIMARY KEY (id)
);

create table auto_top_ups (
  account_id id_text not null,
  enabled boolean not null,
  threshold_minor bigint not null,
  amount_minor bigint not null,
  payment_method_id id_text,
  failures integer not null default 0,
  next_attempt_at timestamp with time zone,
  last_error text,
  updated_at timestamp with time zone not null,
  constraint auto_top_ups_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint auto_top_ups_amount_minor_check CHECK ((amount_minor > 0)),
  constraint auto_top_ups_check CHECK (((NOT enabled) OR (payment_method_id IS NOT NULL))),
  constraint auto_top_ups_payment_method_id_fkey FOREIGN KEY (payment_method_id) REFERENCES payment_methods(id),
  constraint auto_top_ups_pkey PRIMARY KEY (account_id),
  constraint auto_top_ups_threshold_minor_check CHECK ((threshold_minor > 0))
);

create table bandwidth_days (
  vm_id id_text not null,
  day date not null,
  in_bytes bigint not null,
  out_bytes bigint not null,
  constraint bandwidth_days_pkey PRIMARY KEY (vm_id, day)
);

create table billing_profiles (
  account_id id_text not null,
  kind text not null,
  name text not null,
  street text not null,
  city text not null,
  postcode text,
  country text not null,
  vat_id text,
  exempt_reason text,
  updated_at timestamp with time zone not null,
  order_reference text,
  language text,
  mail_to jsonb not null default '[]'::jsonb,
  constraint billing_profiles_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint billing_profiles_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
  constraint billing_profiles_kind_check CHECK ((kind = ANY (ARRAY['business'::text, 'consumer'::text]))),
  constraint billing_profiles_language_check CHECK ((language = ANY (ARRAY['en'::text, 'de'::text]))),
  constraint billing_profiles_pkey PRIMARY KEY (account_id)
);

create table books (
  currency text not null,
  exponent smallint not null,
  recorded_at timestamp with time zone not null,
  recorded_by text not null,
  seal bytea not null,
  constraint books_exponent_check CHECK (((exponent >= 0) AND (exponent <= 4))),
  constraint books_pkey PRIMARY KEY (currency)
);

create table clusters (
  id id_text not null,
  region text not null,
  endpoints text[] not null,
  certificate text,
  project text not null,
  network text not null,
  pool text not null,
  service_networks text[] not null,
  cpu_overcommit integer not null,
  added_at timestamp with time zone not null,
  removed_at timestamp with time zone,
  constraint clusters_cpu_overcommit_check CHECK ((cpu_overcommit > 0)),
  constraint clusters_pkey PRIMARY KEY (id)
);

create table console_shares (
  id id_text not null,
  account_id id_text not null,
  vm_id id_text not null,
  principal_id id_text not null,
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
  constraint console_shares_pkey PRIMARY KEY (id),
  constraint console_shares_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
);

create table console_tickets (
  hash bytea not null,
  kind text not null,
  account_id id_text not null,
  vm_id id_text not null,
  principal_id id_text not null,
  username text,
  cols integer,
  rows integer,
  expires_at timestamp with time zone not null,
  right_id id_text not null,
  constraint console_tickets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
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

create table edge_counters (
  target_id id_text not null,
  at timestamp with time zone not null,
  counters jsonb not null,
  constraint edge_counters_pkey PRIMARY KEY (target_id)
);

create table edge_rollups (
  target_id id_text not null,
  step_seconds integer not null,
  chunk_start timestamp with time zone not null,
  points real[] not null,
  constraint edge_rollups_pkey PRIMARY KEY (target_id, step_seconds, chunk_start)
);

create table edge_samples (
  target_id id_text not null,
  at timestamp with time zone not null,
  passed_bps real,
  passed_pps real,
  dropped_bps real,
  dropped_pps real,
  out_bps real,
  constraint edge_samples_pkey PRIMARY KEY (target_id, at)
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

create table held_documents (
  invoice_id id_text not null,
  reason text not null,
  rules jsonb not null,
  held_at timestamp with time zone not null,
  checked_at timestamp with time zone not null,
  constraint held_documents_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoices(id),
  constraint held_documents_pkey PRIMARY KEY (invoice_id)
);

create table hosts (
  id id_text not null,
  engine text not null,
  name text not null,
  zones text[],
  state text not null default 'up'::text,
  lost_at timestamp with time zone,
  vcpu double precision,
  cores double precision,
  ram_mb double precision,
  disk_gb double precision,
  seen_at timestamp with time zone not null,
  moves_from_at timestamp with time zone,
  moves_to_at timestamp with time zone,
  constraint hosts_engine_name_key UNIQUE (engine, name),
  constraint hosts_moves_window CHECK ((((moves_from_at IS NULL) = (moves_to_at IS NULL)) AND (moves_from_at < moves_to_at))),
  constraint hosts_pkey PRIMARY KEY (id),
  constraint hosts_state_check CHECK ((state = ANY (ARRAY['up'::text, 'draining'::text, 'evacuated'::text])))
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

create table invoice_corrections (
  credit_note_id id_text not null,
  invoice_id id_text not null,
  seal bytea,
  constraint invoice_corrections_credit_note_id_fkey FOREIGN KEY (credit_note_id) REFERENCES invoices(id),
  constraint invoice_corrections_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoices(id),
  constraint invoice_corrections_pkey PRIMARY KEY (credit_note_id, invoice_id)
);

create table invoices (
  id id_text not null,
  account_id id_text not null,
  number text,
  status text not null,
  period_start_at timestamp with time zone not null,
  period_end_at timestamp with time zone not null,
  currency text not null,
  issued_at timestamp with time zone,
  paid_at timestamp with time zone,
  type text not null,
  sequence bigint,
  total_minor bigint,
  tax_minor bigint,
  seal bytea not null,
  seller jsonb,
  buyer jsonb,
  taxes jsonb,
  printed jsonb,
  constraint invoices_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint invoices_issued CHECK (
CASE
    WHEN (status = 'draft'::text) THEN (COALESCE(number, (sequence)::text, (issued_at)::text, (total_minor)::text, (tax_minor)::text) IS NULL)
    ELSE ((number IS NOT NULL) AND (issued_at IS NOT NULL) AND (total_minor IS NOT NULL) AND (tax_minor IS NOT NULL))
END),
  constraint invoices_pkey PRIMARY KEY (id),
  constraint invoices_type_check CHECK ((type = ANY (ARRAY['invoice'::text, 'credit_note'::text])))
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
  epoch integer not null default 0,
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone,
  by_service boolean not null default false,
  abandoned boolean not null default false,
  constraint jobs_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint jobs_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id),
  constraint jobs_pkey PRIMARY KEY (id),
  constraint jobs_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
);

create table journal (
  id bigint not null generated always as identity,
  account_id id_text,
  debit text not null,
  credit text not null,
  amount_minor bigint not null,
  currency text not null,
  reason text not null,
  order_id id_text,
  payment_id id_text,
  created_at timestamp with time zone not null,
  day date,
  "position" bigint not null,
  hash bytea not null,
  promo_credit_id id_text,
  invoice_id id_text,
  tax_category text,
  country text,
  vat_id text,
  constraint journal_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint journal_accounts CHECK ((((debit || ' '::text) || credit) ~ '^((wallet|hold|promo|promo_expense|write_off|receivable|cash|revenue|clearing:[a-z][a-z0-9_]{0,31}|(deferred|revenue|refunds|tax):0([.][0-9]{1,6})?)( |$)){2}$'::text)) NOT VALID,
  constraint journal_amount_minor_check CHECK ((amount_minor > 0)),
  constraint journal_check CHECK ((debit <> credit)),
  constraint journal_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoices(id),
  constraint journal_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id),
  constraint journal_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id),
  constraint journal_pkey PRIMARY KEY (id),
  constraint journal_promo_credit_id_fkey FOREIGN KEY (promo_credit_id) REFERENCES promo_credits(id),
  constraint journal_recognition CHECK ((((account_id IS NULL) = (reason = 'recognition'::text)) AND ((day IS NULL) = (reason <> 'recognition'::text))))
);

create table journal_heads (
  chain id_text not null,
  "position" bigint not null,
  hash bytea not null,
  constraint journal_heads_pkey PRIMARY KEY (chain)
);

create table known_devices (
  id id_text not null,
  person_id id_text not null,
  hash bytea not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null,
  constraint known_devices_hash_key UNIQUE (hash),
  constraint known_devices_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint known_devices_pkey PRIMARY KEY (id)
);

create table mail_tokens (
  id id_text not null,
  purpose text not null,
  hash bytea not null,
  person_id id_text,
  email text not null,
  newcomer jsonb,
  account_id id_text,
  role text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint mail_tokens_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint mail_tokens_hash_key UNIQUE (hash),
  constraint mail_tokens_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint mail_tokens_pkey PRIMARY KEY (id),
  constraint mail_tokens_purpose_check CHECK ((purpose = ANY (ARRAY['verify_email'::text, 'reset_password'::text, 'invitation'::text, 'sign_in_link'::text, 'change_email'::text]))),
  constraint mail_tokens_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'operator'::text, 'viewer'::text])))
);

create table mails (
  id id_text not null,
  account_id id_text,
  recipient text not null,
  locale text not null,
  template text not null,
  sealed_values text,
  status text not null,
  dedupe_key text,
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone not null,
  last_error text,
  created_at timestamp with time zone not null,
  settled_at timestamp with time zone,
  collect_key text,
  constraint mails_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint mails_check CHECK (((status = 'pending'::text) = (settled_at IS NULL))),
  constraint mails_check1 CHECK (((status = 'sent'::text) OR (sealed_values IS NOT NULL))),
  constraint mails_dedupe_key_key UNIQUE (dedupe_key),
  constraint mails_pkey PRIMARY KEY (id),
  constraint mails_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sent'::text, 'failed'::text])))
);

create table memberships (
  id id_text not null,
  person_id id_text not null,
  account_id id_text not null,
  role text not null,
  created_at timestamp with time zone not null,
  realm text not null default 'customer'::text,
  constraint memberships_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint memberships_of_customers FOREIGN KEY (person_id, realm) REFERENCES people(id, realm),
  constraint memberships_person_id_account_id_key UNIQUE (person_id, account_id),
  constraint memberships_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint memberships_pkey PRIMARY KEY (id),
  constraint memberships_realm_check CHECK ((realm = 'customer'::text)),
  constraint memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'operator'::text, 'viewer'::text])))
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

create table number_series (
  type text not null,
  last bigint not null default 0,
  last_issued_at timestamp with time zone,
  asked_at timestamp with time zone,
  asked_because text,
  at_least bigint not null default 0,
  constraint number_series_check CHECK ((num_nulls(asked_at, asked_because) = ANY (ARRAY[0, 2]))),
  constraint number_series_check1 CHECK (((at_least >= 0) AND ((at_least = 0) OR (asked_at IS NOT NULL)))),
  constraint number_series_pkey PRIMARY KEY (type)
);

create table operator_keys (
  key text not null,
  fingerprint bytea not null,
  reply jsonb not null,
  created_at timestamp with time zone not null,
  constraint operator_keys_pkey PRIMARY KEY (key)
);

create table operator_log (
  id id_text not null,
  uid bigint,
  pid integer,
  user_name text,
  login_name text,
  request text not null,
  input jsonb not null,
  created_at timestamp with time zone not null,
  email text,
  ip text,
  constraint operator_log_pkey PRIMARY KEY (id)
);

create table operator_outcomes (
  log_id id_text not null,
  status integer not null,
  created_at timestamp with time zone not null,
  constraint operator_outcomes_log_id_fkey FOREIGN KEY (log_id) REFERENCES operator_log(id),
  constraint operator_outcomes_pkey PRIMARY KEY (log_id)
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
  tax_rate numeric not null,
  tax_minor bigint not null,
  seal bytea not null,
  tax_category text not null,
  tax_reason text,
  price_hourly text,
  hostname text,
  sold_to jsonb,
  add_on text,
  constraint order_lines_check CHECK (((tax_rate >= (0)::numeric) AND (abs(tax_minor) <= abs(amount_minor)) AND ((sign((tax_minor)::double precision) * sign((amount_minor)::double precision)) >= (0)::double precision))) NOT VALID,
  constraint order_lines_check1 CHECK (((tax_rate = (0)::numeric) OR (tax_category = 'standard'::text))),
  constraint order_lines_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id),
  constraint order_lines_pkey PRIMARY KEY (order_id, "position"),
  constraint order_lines_tax_category_check CHECK ((tax_category = ANY (ARRAY['standard'::text, 'zero_rated'::text, 'exempt'::text, 'reverse_charge'::text, 'outside_scope'::text])))
);

create table orders (
  id id_text not null,
  account_id id_text not null,
  vm_id id_text,
  kind text not null,
  status text not null,
  amount_minor bigint not null,
  balance_after_minor bigint,
  currency text not null,
  invoice_id id_text,
  created_at timestamp with time zone not null,
  settled_at timestamp with time zone,
  seal bytea not null,
  adjustment text,
  reason text,
  actor text,
  corrects_order_id id_text,
  outage_id id_text,
  buyer jsonb,
  deposit_minor bigint,
  constraint orders_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint orders_adjustment CHECK (
CASE
    WHEN (adjustment IS NULL) THEN (COALESCE(reason, actor, (corrects_order_id)::text, (outage_id)::text) IS NULL)
    ELSE ((kind = 'adjustment'::text) AND (reason IS NOT NULL) AND (actor IS NOT NULL) AND ((adjustment = ANY (ARRAY['refund'::text, 'void'::text])) = (corrects_order_id IS NOT NULL)) AND ((adjustment = 'sla_credit'::text) = (outage_id IS NOT NULL)))
END),
  constraint orders_adjustment_check CHECK ((adjustment = ANY (ARRAY['credit'::text, 'debit'::text, 'refund'::text, 'void'::text, 'sla_credit'::text]))),
  constraint orders_corrects_order_id_fkey FOREIGN KEY (corrects_order_id) REFERENCES orders(id),
  constraint orders_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoices(id),
  constraint orders_outage_id_fkey FOREIGN KEY (outage_id) REFERENCES outages(id),
  constraint orders_pkey PRIMARY KEY (id),
  constraint orders_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
);

create table orphan_addresses (
  address inet not null,
  engine text not null,
  guest_id text not null,
  constraint orphan_addresses_engine_guest_id_fkey FOREIGN KEY (engine, guest_id) REFERENCES orphan_guests(engine, guest_id) ON DELETE CASCADE,
  constraint orphan_addresses_pkey PRIMARY KEY (address, engine, guest_id)
);

create table orphan_guests (
  engine text not null,
  guest_id text not null,
  vcpu integer,
  ram_mb integer,
  disk_gb integer,
  found_at timestamp with time zone not null,
  host_id id_text,
  constraint orphan_guests_host_id_fkey FOREIGN KEY (host_id) REFERENCES hosts(id),
  constraint orphan_guests_pkey PRIMARY KEY (engine, guest_id)
);

create table outages (
  id id_text not null,
  region text,
  vm_id id_text,
  from_at timestamp with time zone not null,
  to_at timestamp with time zone not null,
  reason text not null,
  actor text not null,
  status text not null default 'open'::text,
  credited_up_to id_text not null default ''::text,
  created_at timestamp with time zone not null,
  seal bytea not null,
  constraint outages_check CHECK (((region IS NULL) <> (vm_id IS NULL))),
  constraint outages_check1 CHECK ((from_at < to_at)),
  constraint outages_pkey PRIMARY KEY (id),
  constraint outages_status_check CHECK ((status = ANY (ARRAY['open'::text, 'crediting'::text, 'credited'::text]))),
  constraint outages_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
);

create table passkeys (
  id id_text not null,
  person_id id_text not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint passkeys_credential_id_key UNIQUE (credential_id),
  constraint passkeys_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint passkeys_pkey PRIMARY KEY (id)
);

create table payment_methods (
  id id_text not null,
  account_id id_text not null,
  provider text not null,
  customer_ref text not null,
  method_ref text not null,
  label text not null,
  expires_on text,
  created_at timestamp with time zone not null,
  removed_at timestamp with time zone,
  constraint payment_methods_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint payment_methods_account_id_provider_method_ref_key UNIQUE (account_id, provider, method_ref),
  constraint payment_methods_pkey PRIMARY KEY (id)
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
  seal bytea not null,
  constraint payments_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint payments_amount_minor_check CHECK ((amount_minor <> 0)),
  constraint payments_pkey PRIMARY KEY (id)
);

create table people (
  id id_text not null,
  email text not null,
  email_key text not null,
  email_verified_at timestamp with time zone,
  name text not null default ''::text,
  locale text not null default 'en'::text,
  password_hash text,
  created_at timestamp with time zone not null,
  realm text not null default 'customer'::text,
  removed_at timestamp with time zone,
  constraint people_by_email UNIQUE (realm, email_key),
  constraint people_by_realm UNIQUE (id, realm),
  constraint people_pkey PRIMARY KEY (id),
  constraint people_realm_check CHECK ((realm = ANY (ARRAY['customer'::text, 'operator'::text])))
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

create table promo_credits (
  id id_text not null,
  account_id id_text not null,
  amount_minor bigint not null,
  remaining_minor bigint not null,
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  reason text not null,
  actor text not null,
  created_at timestamp with time zone not null,
  seal bytea not null,
  constraint promo_credits_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint promo_credits_amount_minor_check CHECK ((amount_minor > 0)),
  constraint promo_credits_check CHECK (((remaining_minor >= 0) AND (remaining_minor <= amount_minor))),
  constraint promo_credits_pkey PRIMARY KEY (id)
);

create table promo_draws (
  id bigint not null generated always as identity,
  order_id id_text not null,
  promo_credit_id id_text not null,
  amount_minor bigint not null,
  seal bytea not null,
  "position" integer,
  constraint promo_draws_amount_minor_check CHECK ((amount_minor <> 0)),
  constraint promo_draws_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id),
  constraint promo_draws_pkey PRIMARY KEY (id),
  constraint promo_draws_promo_credit_id_fkey FOREIGN KEY (promo_credit_id) REFERENCES promo_credits(id)
);

create unlogged table rate_windows (
  bucket text collate "C" not null,
  window_start bigint not null,
  used integer not null,
  constraint rate_windows_pkey PRIMARY KEY (bucket, window_start)
);

create table recovery_codes (
  person_id id_text not null,
  hash bytea not null,
  used_at timestamp with time zone,
  constraint recovery_codes_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint recovery_codes_pkey PRIMARY KEY (person_id, hash)
);

create table reservations (
  vm_id id_text not null,
  vcpu integer not null,
  cores integer not null,
  ram_mb integer not null,
  disk_gb integer not null,
  constraint reservations_cores_check CHECK ((cores >= 0)),
  constraint reservations_disk_gb_check CHECK ((disk_gb >= 0)),
  constraint reservations_pkey PRIMARY KEY (vm_id),
  constraint reservations_ram_mb_check CHECK ((ram_mb >= 0)),
  constraint reservations_vcpu_check CHECK ((vcpu >= 0)),
  constraint reservations_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
);

create table series_gaps (
  type text not null,
  first bigint not null,
  last bigint not null,
  recorded_at timestamp with time zone not null,
  recorded_by text not null,
  seal bytea not null,
  constraint series_gaps_check CHECK (((first >= 1) AND (first <= last))),
  constraint series_gaps_pkey PRIMARY KEY (type, first),
  constraint series_gaps_type_fkey FOREIGN KEY (type) REFERENCES number_series(type)
);

create table sessions (
  id id_text not null,
  person_id id_text not null,
  account_id id_text,
  hash bytea not null,
  stage text not null,
  ip text not null,
  user_agent text not null,
  created_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  confirmed_at timestamp with time zone,
  idle_seconds integer not null,
  constraint sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint sessions_hash_key UNIQUE (hash),
  constraint sessions_idle_seconds_check CHECK ((idle_seconds > 0)),
  constraint sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_stage_check CHECK ((stage = ANY (ARRAY['second_factor'::text, 'signed_in'::text])))
);

create table settings (
  name text not null,
  value jsonb not null,
  constraint settings_pkey PRIMARY KEY (name)
);

create table shield_attacks (
  id id_text not null,
  account_id id_text not null,
  tenant_id id_text not null,
  target_id id_text not null,
  ip inet not null,
  status text not null,
  vectors text[] not null,
  severity text not null,
  reason text not null,
  started_at timestamp with time zone not null,
  mitigated_at timestamp with time zone,
  ended_at timestamp with time zone,
  peak_bps bigint not null,
  peak_bps_at timestamp with time zone not null,
  peak_pps bigint not null,
  peak_pps_at timestamp with time zone not null,
  dropped_bytes bigint not null,
  dropped_packets bigint not null,
  announced text[] not null default '{}'::text[],
  reported_until timestamp with time zone,
  constraint shield_attacks_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint shield_attacks_pkey PRIMARY KEY (id),
  constraint shield_attacks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES shield_tenants(id)
);

create table shield_rules (
  id id_text not null,
  account_id id_text not null,
  target_id id_text not null,
  origin text not null,
  attack_id id_text,
  action text not null,
  match jsonb not null,
  rate jsonb,
  fingerprint text not null,
  priority integer not null,
  comment text,
  enabled boolean not null,
  expires_at timestamp with time zone,
  status text not null,
  generation integer not null,
  created_at timestamp with time zone not null,
  constraint shield_rules_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint shield_rules_pkey PRIMARY KEY (id),
  constraint shield_rules_target_id_fingerprint_key UNIQUE (target_id, fingerprint),
  constraint shield_rules_target_id_fkey FOREIGN KEY (target_id) REFERENCES shield_targets(id) ON DELETE CASCADE
);

create table shield_targets (
  id id_text not null,
  account_id id_text not null,
  tenant_id id_text not null,
  vm_id id_text,
  ip inet not null,
  mode text not null,
  generation integer not null default 1,
  applied integer not null default 0,
  baseline_pps double precision,
  baseline_bps double precision,
  created_at timestamp with time zone not null,
  removed_at timestamp with time zone,
  threshold_pps bigint,
  threshold_bps bigint,
  blackholed_until timestamp with time zone,
  constraint shield_targets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint shield_targets_ip_key UNIQUE (ip),
  constraint shield_targets_pkey PRIMARY KEY (id),
  constraint shield_targets_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES shield_tenants(id),
  constraint shield_targets_threshold_bps_check CHECK ((threshold_bps > 0)),
  constraint shield_targets_threshold_pps_check CHECK ((threshold_pps > 0)),
  constraint shield_targets_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
);

create table shield_tenants (
  id id_text not null,
  account_id id_text not null,
  name text not null,
  created_at timestamp with time zone not null,
  constraint shield_tenants_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint shield_tenants_pkey PRIMARY KEY (id)
);

create table simulator_disks (
  guest_id id_text not null,
  name text not null,
  guest jsonb not null,
  inside jsonb,
  files jsonb not null,
  constraint simulator_disks_guest_id_fkey FOREIGN KEY (guest_id) REFERENCES simulator_guests(id) ON DELETE CASCADE,
  constraint simulator_disks_pkey PRIMARY KEY (guest_id, name)
);

create table simulator_edge_targets (
  id id_text not null,
  state jsonb not null,
  constraint simulator_edge_targets_pkey PRIMARY KEY (id)
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

create table simulator_lost_hosts (
  id id_text not null,
  constraint simulator_lost_hosts_pkey PRIMARY KEY (id)
);

create table snapshot_usage (
  snapshot_id id_text not null,
  account_id id_text not null,
  vm_id id_text not null,
  size_bytes bigint not null,
  from_at timestamp with time zone not null,
  until_at timestamp with time zone,
  seal bytea not null,
  constraint snapshot_usage_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint snapshot_usage_check CHECK ((until_at >= from_at)),
  constraint snapshot_usage_pkey PRIMARY KEY (snapshot_id),
  constraint snapshot_usage_size_bytes_check CHECK ((size_bytes >= 0)),
  constraint snapshot_usage_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
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
  reserved_gb integer not null default 0,
  ops_key_fingerprint text,
  constraint snapshots_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint snapshots_pkey PRIMARY KEY (id),
  constraint snapshots_reserved_gb_check CHECK ((reserved_gb >= 0)),
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

create table top_up_refunds (
  id id_text not null,
  top_up_id id_text not null,
  account_id id_text not null,
  amount_minor bigint not null,
  status text not null,
  reason text not null,
  actor text not null,
  payment_id id_text not null,
  returned_payment_id id_text,
  provider_ref text,
  error text,
  created_at timestamp with time zone not null,
  settled_at timestamp with time zone,
  retry_at timestamp with time zone,
  constraint top_up_refunds_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint top_up_refunds_amount_minor_check CHECK ((amount_minor > 0)),
  constraint top_up_refunds_check CHECK (((status = 'pending'::text) = (settled_at IS NULL))),
  constraint top_up_refunds_check1 CHECK (((status = 'failed'::text) = (returned_payment_id IS NOT NULL))),
  constraint top_up_refunds_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id),
  constraint top_up_refunds_payment_id_key UNIQUE (payment_id),
  constraint top_up_refunds_pkey PRIMARY KEY (id),
  constraint top_up_refunds_returned_payment_id_fkey FOREIGN KEY (returned_payment_id) REFERENCES payments(id),
  constraint top_up_refunds_returned_payment_id_key UNIQUE (returned_payment_id),
  constraint top_up_refunds_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text]))),
  constraint top_up_refunds_top_up_id_fkey FOREIGN KEY (top_up_id) REFERENCES top_ups(id)
);

create table top_up_reversal_payments (
  payment_id id_text not null,
  reversal_id id_text not null,
  constraint top_up_reversal_payments_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id),
  constraint top_up_reversal_payments_pkey PRIMARY KEY (payment_id),
  constraint top_up_reversal_payments_reversal_id_fkey FOREIGN KEY (reversal_id) REFERENCES top_up_reversals(id)
);

create table top_up_reversals (
  id id_text not null,
  top_up_id id_text not null,
  account_id id_text not null,
  kind text not null,
  provider_ref text not null,
  amount_minor bigint not null,
  status text not null,
  payment_id id_text,
  returned_payment_id id_text,
  created_at timestamp with time zone not null,
  settled_at timestamp with time zone,
  told_at timestamp with time zone,
  seal bytea,
  constraint top_up_reversals_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint top_up_reversals_amount_minor_check CHECK ((amount_minor > 0)),
  constraint top_up_reversals_check CHECK (((status = 'owed'::text) = (settled_at IS NULL))),
  constraint top_up_reversals_kind_check CHECK ((kind = ANY (ARRAY['refund'::text, 'dispute'::text]))),
  constraint top_up_reversals_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id),
  constraint top_up_reversals_payment_id_key UNIQUE (payment_id),
  constraint top_up_reversals_pkey PRIMARY KEY (id),
  constraint top_up_reversals_provider_ref_key UNIQUE (provider_ref),
  constraint top_up_reversals_returned_payment_id_fkey FOREIGN KEY (returned_payment_id) REFERENCES payments(id),
  constraint top_up_reversals_returned_payment_id_key UNIQUE (returned_payment_id),
  constraint top_up_reversals_status_check CHECK ((status = ANY (ARRAY['owed'::text, 'taken'::text, 'void'::text]))),
  constraint top_up_reversals_top_up_id_fkey FOREIGN KEY (top_up_id) REFERENCES top_ups(id)
);

create table top_ups (
  id id_text not null,
  account_id id_text not null,
  provider text not null,
  cause text not null,
  amount_minor bigint not null,
  currency text not null,
  status text not null,
  reference text not null,
  provider_ref text,
  keep_method boolean not null,
  payment_method_id id_text,
  error text,
  payment_id id_text,
  principal_id id_text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  settled_at timestamp with time zone,
  retry_at timestamp with time zone,
  session_ref text,
  sealed_page text,
  recheck_at timestamp with time zone,
  missing_since timestamp with time zone,
  constraint top_ups_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint top_ups_amount_minor_check CHECK ((amount_minor > 0)),
  constraint top_ups_cause_check CHECK ((cause = ANY (ARRAY['person'::text, 'auto'::text]))),
  constraint top_ups_check CHECK (((status = 'succeeded'::text) = (payment_id IS NOT NULL))),
  constraint top_ups_check1 CHECK (((status = 'pending'::text) = (settled_at IS NULL))),
  constraint top_ups_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id),
  constraint top_ups_payment_id_key UNIQUE (payment_id),
  constraint top_ups_payment_method_id_fkey FOREIGN KEY (payment_method_id) REFERENCES payment_methods(id),
  constraint top_ups_pkey PRIMARY KEY (id),
  constraint top_ups_provider_provider_ref_key UNIQUE (provider, provider_ref),
  constraint top_ups_reference_key UNIQUE (reference),
  constraint top_ups_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text, 'expired'::text, 'canceled'::text])))
);

create table totps (
  person_id id_text not null,
  secret text not null,
  confirmed_at timestamp with time zone,
  last_step bigint,
  created_at timestamp with time zone not null,
  constraint totps_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint totps_pkey PRIMARY KEY (person_id)
);

create table traffic_meters (
  vm_id id_text not null,
  out_bytes bigint not null,
  constraint traffic_meters_out_bytes_check CHECK ((out_bytes >= 0)),
  constraint traffic_meters_pkey PRIMARY KEY (vm_id)
);

create table unbooked_payments (
  id id_text not null,
  provider text not null,
  provider_ref text not null,
  top_up_id id_text not null,
  account_id id_text,
  amount_minor bigint not null,
  currency text not null,
  paid_at timestamp with time zone not null,
  found_at timestamp with time zone not null,
  decided_at timestamp with time zone,
  decided_by text,
  reason text,
  payment_id id_text,
  taken_back_minor bigint not null default 0,
  constraint unbooked_payments_amount_minor_check CHECK ((amount_minor > 0)),
  constraint unbooked_payments_check CHECK ((num_nulls(decided_at, decided_by) = ANY (ARRAY[0, 2]))),
  constraint unbooked_payments_check1 CHECK ((num_nonnulls(reason, payment_id) =
CASE
    WHEN (decided_at IS NULL) THEN 0
    ELSE 1
END)),
  constraint unbooked_payments_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id),
  constraint unbooked_payments_pkey PRIMARY KEY (id),
  constraint unbooked_payments_provider_provider_ref_key UNIQUE (provider, provider_ref),
  constraint unbooked_payments_taken_back_minor_check CHECK ((taken_back_minor >= 0))
);

create table usage_readings (
  vm_id id_text not null,
  "position" integer not null,
  account_id id_text not null,
  from_at timestamp with time zone not null,
  out_bytes bigint not null,
  included_gb integer,
  traffic_price numeric,
  snapshot_price numeric,
  order_id id_text,
  seal bytea not null,
  constraint usage_readings_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint usage_readings_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id),
  constraint usage_readings_out_bytes_check CHECK ((out_bytes >= 0)),
  constraint usage_readings_pkey PRIMARY KEY (vm_id, "position"),
  constraint usage_readings_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
);

create table vm_counters (
  vm_id id_text not null,
  at timestamp with time zone not null,
  counters jsonb not null,
  constraint vm_counters_pkey PRIMARY KEY (vm_id)
);

create table vm_debts (
  order_id id_text not null,
  account_id id_text not null,
  owed_minor bigint not null,
  constraint vm_debts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint vm_debts_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id),
  constraint vm_debts_owed_minor_check CHECK ((owed_minor >= 0)),
  constraint vm_debts_pkey PRIMARY KEY (order_id)
);

create table vm_move_windows (
  vm_id id_text not null,
  from_at timestamp with time zone not null,
  to_at timestamp with time zone not null,
  constraint vm_move_windows_check CHECK ((to_at > from_at)),
  constraint vm_move_windows_pkey PRIMARY KEY (vm_id),
  constraint vm_move_windows_vm_id_fkey FOREIGN KEY (vm_id) REFERENCES vms(id)
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
  engine text,
  mac_shared boolean not null default false,
  ops_key_fingerprint text,
  tax_rate numeric not null default 0,
  rounding_remainder bigint not null default 0,
  renewal_priority integer not null default 100,
  upgraded_at timestamp with time zone,
  renewal_notices smallint not null default 0,
  deletion_notice_at timestamp with time zone,
  dunning_failures integer not null default 0,
  dunning_next_at timestamp with time zone,
  deletion_failed_at timestamp with time zone,
  refundable_minor bigint,
  next_billing_mode text not null default 'monthly'::text,
  price_hourly_micros bigint,
  metered_since timestamp with time zone,
  usage_priced boolean not null default false,
  traffic_notices smallint not null default 0,
  priced_at timestamp with time zone not null,
  price_notice_minor bigint,
  price_notice_at timestamp with time zone,
  price_notice_from_at timestamp with time zone,
  prices_seen_until timestamp with time zone,
  retires_at timestamp with time zone,
  wanted_power text not null default 'off'::text,
  restart_attempts integer not null default 0,
  restart_next_at timestamp with time zone,
  dedicated boolean not null default false,
  grace_ended_at timestamp with time zone,
  host_id id_text,
  moving_to id_text,
  deposit_minor bigint,
  deposit_since timestamp with time zone,
  usage_sold_until timestamp with time zone,
  seal bytea,
  throttle_mbps integer,
  throttle_cause text,
  included_notice_for timestamp with time zone,
  unpaid_notice_for timestamp with time zone,
  debt_suspended_at timestamp with time zone,
  add_ons jsonb,
  constraint vms_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint vms_add_ons CHECK (((jsonb_typeof(add_ons) = 'array'::text) AND (add_ons <> '[]'::jsonb))),
  constraint vms_deposit CHECK (((deposit_minor IS NULL) = (deposit_since IS NULL))),
  constraint vms_deposit_minor_check CHECK ((deposit_minor >= 0)),
  constraint vms_host_id_fkey FOREIGN KEY (host_id) REFERENCES hosts(id),
  constraint vms_metered CHECK (((price_hourly_micros IS NULL) = (metered_since IS NULL))),
  constraint vms_moving_to_fkey FOREIGN KEY (moving_to) REFERENCES hosts(id),
  constraint vms_next_billing_mode_check CHECK ((next_billing_mode = ANY (ARRAY['monthly'::text, 'hourly'::text]))),
  constraint vms_pkey PRIMARY KEY (id),
  constraint vms_price_hourly_micros_check CHECK ((price_hourly_micros >= 0)),
  constraint vms_price_monthly_minor_check CHECK ((price_monthly_minor >= 0)),
  constraint vms_price_notice CHECK ((num_nulls(price_notice_minor, price_notice_at, price_notice_from_at) = ANY (ARRAY[0, 3]))),
  constraint vms_price_notice_minor_check CHECK ((price_notice_minor >= 0)),
  constraint vms_refundable_minor_check CHECK ((refundable_minor >= 0)),
  constraint vms_renewal_priority_check CHECK (((renewal_priority >= 1) AND (renewal_priority <= 1000))),
  constraint vms_throttle CHECK (((throttle_mbps IS NULL) = (throttle_cause IS NULL))),
  constraint vms_throttle_cause_check CHECK ((throttle_cause = ANY (ARRAY['included_traffic'::text, 'unpaid_usage'::text]))),
  constraint vms_throttle_mbps_check CHECK ((throttle_mbps >= 0)),
  constraint vms_wanted_power_check CHECK ((wanted_power = ANY (ARRAY['on'::text, 'off'::text])))
);

create table wallets (
  account_id id_text not null,
  currency text not null,
  available_minor bigint not null default 0,
  held_minor bigint not null default 0,
  updated_at timestamp with time zone not null,
  promo_minor bigint not null default 0,
  claimed_minor bigint not null default 0,
  grace_began_at timestamp with time zone,
  debt_warned_at timestamp with time zone,
  seal bytea,
  constraint wallets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint wallets_available_minor_check CHECK ((available_minor >= 0)),
  constraint wallets_claimed_minor_check CHECK ((claimed_minor >= 0)),
  constraint wallets_held_minor_check CHECK ((held_minor >= 0)),
  constraint wallets_pkey PRIMARY KEY (account_id),
  constraint wallets_promo_minor_check CHECK (((promo_minor >= 0) AND (promo_minor <= available_minor)))
);

create table webauthn_challenges (
  hash bytea not null,
  person_id id_text,
  expires_at timestamp with time zone not null,
  constraint webauthn_challenges_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint webauthn_challenges_pkey PRIMARY KEY (hash)
);

CREATE INDEX agent_runs_by_age ON public.agent_runs USING btree (finished_at) WHERE (state = 'finished'::text);
CREATE UNIQUE INDEX agent_runs_one_a_vm ON public.agent_runs USING btree (vm_id) WHERE (state <> 'finished'::text);
CREATE INDEX api_keys_by_account ON public.api_keys USING btree (account_id, id);
CREATE INDEX attempts_by_end ON public.attempts USING btree (ends_at);
CREATE INDEX audit_entries_by_account ON public.audit_entries USING btree (account_id, id DESC);
CREATE INDEX audit_entries_by_person ON public.audit_entries USING btree (person_id, id DESC);
CREATE INDEX audit_entries_by_time ON public.audit_entries USING btree (created_at);
CREATE INDEX auto_top_ups_enabled ON public.auto_top_ups USING btree (account_id) WHERE enabled;
CREATE UNIQUE INDEX clusters_by_region ON public.clusters USING btree (region) WHERE (removed_at IS NULL);
CREATE INDEX console_shares_by_expiry ON public.console_shares USING btree (expires_at);
CREATE INDEX console_shares_by_vm ON public.console_shares USING btree (vm_id, id);
CREATE INDEX console_tickets_by_expiry ON public.console_tickets USING btree (expires_at);
CREATE INDEX console_viewers_by_share ON public.console_viewers USING btree (share_id);
CREATE INDEX console_viewers_by_sight ON public.console_viewers USING btree (seen_at);
CREATE INDEX edge_rollups_by_age ON public.edge_rollups USING btree (step_seconds, chunk_start);
CREATE INDEX edge_samples_by_age ON public.edge_samples USING btree (at);
CREATE INDEX events_by_age ON public.events USING btree (created_at);
CREATE INDEX events_by_vm ON public.events USING btree (vm_id, id DESC);
CREATE UNIQUE INDEX events_once ON public.events USING btree (vm_id, dedupe_key) WHERE (dedupe_key IS NOT NULL);
CREATE INDEX firewall_rules_by_vm ON public.firewall_rules USING btree (vm_id, id DESC);
CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (created_at);
CREATE INDEX invoice_corrections_by_invoice ON public.invoice_corrections USING btree (invoice_id);
CREATE INDEX invoices_by_account ON public.invoices USING btree (account_id, id DESC);
CREATE INDEX invoices_by_month ON public.invoices USING btree (period_start_at, id);
CREATE INDEX invoices_by_number ON public.invoices USING btree (number);
CREATE UNIQUE INDEX invoices_draft ON public.invoices USING btree (account_id, type, period_start_at) WHERE (status = 'draft'::text);
CREATE INDEX invoices_drafts ON public.invoices USING btree (period_end_at) WHERE (status = 'draft'::text);
CREATE UNIQUE INDEX invoices_sequence ON public.invoices USING btree (type, sequence) WHERE (sequence IS NOT NULL);
CREATE INDEX ip_addresses_by_vm ON public.ip_addresses USING btree (vm_id) WHERE (vm_id IS NOT NULL);
CREATE INDEX ip_addresses_free ON public.ip_addresses USING btree (pool, released_at) WHERE (vm_id IS NULL);
CREATE INDEX jobs_abandoned ON public.jobs USING btree (id) WHERE abandoned;
CREATE INDEX jobs_by_end ON public.jobs USING btree (finished_at, id) WHERE (finished_at IS NOT NULL);
CREATE INDEX jobs_by_vm ON public.jobs USING btree (vm_id, id DESC);
CREATE INDEX jobs_owned ON public.jobs USING btree (vm_id) WHERE (owner IS NOT NULL);
CREATE INDEX jobs_stuck ON public.jobs USING btree (id) WHERE ((attempts > 0) AND (status = ANY (ARRAY['pending'::text, 'running'::text])));
CREATE INDEX jobs_unfinished ON public.jobs USING btree (id) WHERE (status = ANY (ARRAY['pending'::text, 'running'::text]));
CREATE INDEX jobs_waiting ON public.jobs USING btree (by_service, account_id, id) WHERE ((owner IS NULL) AND (status = ANY (ARRAY['pending'::text, 'running'::text])));
CREATE INDEX journal_by_account ON public.journal USING btree (account_id, id);
CREATE INDEX journal_by_order ON public.journal USING btree (order_id);
CREATE INDEX journal_by_promo_credit ON public.journal USING btree (promo_credit_id) WHERE (promo_credit_id IS NOT NULL);
CREATE INDEX journal_by_time ON public.journal USING btree (created_at, id);
CREATE UNIQUE INDEX journal_chains ON public.journal USING btree (COALESCE((account_id)::text, 'seller'::text), "position");
CREATE UNIQUE INDEX journal_recognized ON public.journal USING btree (day, (
CASE
    WHEN (debit ~~ 'deferred:%'::text) THEN debit
    ELSE credit
END)) WHERE (reason = 'recognition'::text);
CREATE INDEX known_devices_by_person ON public.known_devices USING btree (person_id, last_used_at);
CREATE INDEX known_devices_by_use ON public.known_devices USING btree (last_used_at);
CREATE INDEX mail_tokens_by_account ON public.mail_tokens USING btree (account_id, purpose);
CREATE INDEX mail_tokens_by_end ON public.mail_tokens USING btree (expires_at);
CREATE INDEX mail_tokens_by_person ON public.mail_tokens USING btree (person_id, purpose);
CREATE UNIQUE INDEX mails_collecting ON public.mails USING btree (collect_key) WHERE ((status = 'pending'::text) AND (attempts = 0));
CREATE INDEX mails_due ON public.mails USING btree (next_attempt_at, id) WHERE (status = 'pending'::text);
CREATE INDEX mails_failed ON public.mails USING btree (id) WHERE (status = 'failed'::text);
CREATE INDEX mails_settled ON public.mails USING btree (settled_at) WHERE (settled_at IS NOT NULL);
CREATE INDEX memberships_by_account ON public.memberships USING btree (account_id, id);
CREATE INDEX metric_rollups_by_age ON public.metric_rollups USING btree (step_seconds, chunk_start);
CREATE INDEX metric_samples_by_age ON public.metric_samples USING btree (at);
CREATE INDEX orders_adjusted ON public.orders USING btree (account_id, id DESC) WHERE (adjustment IS NOT NULL);
CREATE INDEX orders_by_account ON public.orders USING btree (account_id, id DESC);
CREATE INDEX orders_by_corrected ON public.orders USING btree (corrects_order_id) WHERE (corrects_order_id IS NOT NULL);
CREATE INDEX orders_by_invoice ON public.orders USING btree (invoice_id) WHERE (invoice_id IS NOT NULL);
CREATE INDEX orders_by_vm ON public.orders USING btree (vm_id, id DESC);
CREATE UNIQUE INDEX orders_outage_once ON public.orders USING btree (outage_id, vm_id) WHERE (outage_id IS NOT NULL);
CREATE INDEX orders_pending ON public.orders USING btree (id) WHERE (status = 'pending'::text);
CREATE INDEX outages_by_region ON public.outages USING btree (region, from_at) WHERE (region IS NOT NULL);
CREATE INDEX outages_by_vm ON public.outages USING btree (vm_id, from_at) WHERE (vm_id IS NOT NULL);
CREATE UNIQUE INDEX outages_of_lost_hosts ON public.outages USING btree (vm_id, from_at) WHERE (actor = 'service'::text);
CREATE INDEX outages_to_credit ON public.outages USING btree (id) WHERE ((actor = 'service'::text) AND (status <> 'credited'::text));
CREATE INDEX passkeys_by_person ON public.passkeys USING btree (person_id, id);
CREATE INDEX payments_by_account ON public.payments USING btree (account_id, id DESC);
CREATE INDEX port_claims_by_forward ON public.port_claims USING btree (forward_id);
CREATE INDEX port_forwards_by_vm ON public.port_forwards USING btree (vm_id, id DESC);
CREATE INDEX promo_credits_by_account ON public.promo_credits USING btree (account_id, id DESC);
CREATE INDEX promo_credits_by_end ON public.promo_credits USING btree (COALESCE(revoked_at, expires_at), id) WHERE (remaining_minor > 0);
CREATE INDEX promo_credits_left ON public.promo_credits USING btree (account_id) WHERE (remaining_minor > 0);
CREATE INDEX promo_draws_by_credit ON public.promo_draws USING btree (promo_credit_id);
CREATE INDEX promo_draws_by_order ON public.promo_draws USING btree (order_id);
CREATE INDEX rate_windows_by_age ON public.rate_windows USING btree (window_start);
CREATE INDEX sessions_by_end ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_by_person ON public.sessions USING btree (person_id, id);
CREATE INDEX shield_attacks_by_end ON public.shield_attacks USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX shield_attacks_by_target ON public.shield_attacks USING btree (target_id, id DESC);
CREATE INDEX shield_attacks_by_tenant ON public.shield_attacks USING btree (tenant_id, started_at);
CREATE UNIQUE INDEX shield_attacks_ongoing ON public.shield_attacks USING btree (target_id) WHERE (status = 'ongoing'::text);
CREATE INDEX shield_attacks_reported ON public.shield_attacks USING btree (reported_until) WHERE ((status = 'ongoing'::text) AND (reported_until IS NOT NULL));
CREATE INDEX shield_attacks_to_announce ON public.shield_attacks USING btree (id) WHERE (NOT (announced @> '{ended}'::text[]));
CREATE INDEX shield_rules_by_attack ON public.shield_rules USING btree (attack_id) WHERE (attack_id IS NOT NULL);
CREATE INDEX shield_rules_by_expiry ON public.shield_rules USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX shield_rules_by_target ON public.shield_rules USING btree (target_id, id DESC);
CREATE INDEX shield_rules_pending ON public.shield_rules USING btree (target_id) WHERE (status = 'pending'::text);
CREATE INDEX shield_targets_behind ON public.shield_targets USING btree (id) WHERE (applied < generation);
CREATE INDEX shield_targets_by_tenant ON public.shield_targets USING btree (tenant_id, id DESC);
CREATE INDEX shield_targets_by_vm ON public.shield_targets USING btree (vm_id) WHERE (vm_id IS NOT NULL);
CREATE INDEX shield_tenants_by_account ON public.shield_tenants USING btree (account_id, id DESC);
CREATE INDEX snapshot_usage_by_account ON public.snapshot_usage USING btree (account_id);
CREATE INDEX snapshot_usage_by_vm ON public.snapshot_usage USING btree (vm_id, until_at);
CREATE INDEX snapshots_by_vm ON public.snapshots USING btree (vm_id, id DESC);
CREATE INDEX ssh_keys_by_account ON public.ssh_keys USING btree (account_id, id DESC);
CREATE INDEX top_up_refunds_of_top_up ON public.top_up_refunds USING btree (top_up_id);
CREATE INDEX top_up_refunds_to_retry ON public.top_up_refunds USING btree (retry_at) WHERE ((status = 'pending'::text) AND (retry_at IS NOT NULL));
CREATE INDEX top_up_reversal_payments_of_reversal ON public.top_up_reversal_payments USING btree (reversal_id);
CREATE INDEX top_up_reversals_of_top_up ON public.top_up_reversals USING btree (top_up_id);
CREATE INDEX top_up_reversals_owed ON public.top_up_reversals USING btree (account_id) WHERE (status = 'owed'::text);
CREATE INDEX top_ups_of_account ON public.top_ups USING btree (account_id, id);
CREATE INDEX top_ups_pending ON public.top_ups USING btree (account_id) WHERE (status = 'pending'::text);
CREATE INDEX top_ups_to_expire ON public.top_ups USING btree (expires_at) WHERE ((status = 'pending'::text) AND (expires_at IS NOT NULL));
CREATE INDEX top_ups_to_recheck ON public.top_ups USING btree (recheck_at) WHERE ((status = 'pending'::text) AND (recheck_at IS NOT NULL));
CREATE INDEX top_ups_to_retry ON public.top_ups USING btree (retry_at) WHERE ((status = 'pending'::text) AND (retry_at IS NOT NULL));
CREATE INDEX unbooked_payments_open ON public.unbooked_payments USING btree (account_id) WHERE (decided_at IS NULL);
CREATE INDEX usage_readings_by_account ON public.usage_readings USING btree (account_id);
CREATE INDEX vm_debts_owed ON public.vm_debts USING btree (account_id) WHERE (owed_minor > 0);
CREATE INDEX vms_by_account ON public.vms USING btree (account_id, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX vms_by_host ON public.vms USING btree (host_id) WHERE (deleted_at IS NULL);
CREATE INDEX vms_by_hostname ON public.vms USING btree (account_id, hostname, id DESC) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX vms_by_mac ON public.vms USING btree (mac) WHERE ((deleted_at IS NULL) AND (NOT mac_shared));
CREATE INDEX vms_by_next_host ON public.vms USING btree (moving_to) WHERE (moving_to IS NOT NULL);
CREATE INDEX vms_by_notice ON public.vms USING btree (billing_period_end_at, renewal_notices) WHERE ((deleted_at IS NULL) AND auto_renew AND (renewal_notices < 3));
CREATE INDEX vms_by_ops_key ON public.vms USING btree (ops_key_fingerprint, id) WHERE (deleted_at IS NULL);
CREATE INDEX vms_by_period_end ON public.vms USING btree (billing_period_end_at) WHERE (deleted_at IS NULL);
CREATE INDEX vms_by_prices_seen ON public.vms USING btree (prices_seen_until NULLS FIRST, id) WHERE ((deleted_at IS NULL) AND auto_renew);
CREATE INDEX vms_by_region ON public.vms USING btree (account_id, region, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX vms_by_status ON public.vms USING btree (account_id, status, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX vms_by_traffic ON public.vms USING btree (id) WHERE ((deleted_at IS NULL) AND usage_priced AND (traffic_notices < 2));
CREATE INDEX vms_deposits ON public.vms USING btree (billing_period_end_at) WHERE (deposit_minor IS NOT NULL);
CREATE INDEX vms_dunning_failing ON public.vms USING btree (id) WHERE ((deleted_at IS NULL) AND (dunning_failures > 0));
CREATE INDEX vms_failed_creations ON public.vms USING btree (updated_at) WHERE ((deleted_at IS NULL) AND (status = 'error'::text) AND (provisioned_at IS NULL) AND (active_job_id IS NULL));
CREATE INDEX vms_metered ON public.vms USING btree (id) WHERE ((deleted_at IS NULL) AND (status <> ALL (ARRAY['stopped'::text, 'suspended'::text])));
CREATE INDEX vms_network_behind ON public.vms USING btree (id) WHERE ((deleted_at IS NULL) AND (network_applied < network_generation));
CREATE INDEX vms_restarted ON public.vms USING btree (id) WHERE ((deleted_at IS NULL) AND (restart_attempts > 0));
CREATE INDEX vms_suspended_for_debt ON public.vms USING btree (id) WHERE (debt_suspended_at IS NOT NULL);
CREATE INDEX vms_throttled ON public.vms USING btree (account_id) WHERE (throttle_mbps IS NOT NULL);
CREATE INDEX vms_to_restart ON public.vms USING btree (restart_attempts, id) WHERE ((deleted_at IS NULL) AND (wanted_power = 'on'::text) AND (status = 'stopped'::text));
CREATE INDEX wallets_in_debt ON public.wallets USING btree (account_id) WHERE ((claimed_minor > 0) OR (debt_warned_at IS NOT NULL));
CREATE INDEX webauthn_challenges_by_end ON public.webauthn_challenges USING btree (expires_at);

CREATE OR REPLACE FUNCTION public.booked_line(entry journal)
 RETURNS order_lines
 LANGUAGE sql
AS $function$
  select (leg.line).* from (
    select line, row_number() over (order by position, number) as place, code, amount
    from order_lines line cross join lateral (
      values (1, 'net', amount_minor - tax_minor), (2, 'tax', tax_minor)) as part (number, code, amount)
    where order_id = entry.order_id and unit <> 'deposit' and amount <> 0
  ) leg, lateral (
    select case when entry.debit ~ '^(deferred|revenue|refunds|tax):' then entry.debit else entry.credit end as account
  ) rated
  where trim_scale((leg.line).tax_rate)::text = split_part(account, ':', 2)
  order by abs(amount) = entry.amount_minor and (code = 'tax') = (account like 'tax:%') desc,
    place = 1 + (select count(*) from journal before
      where before.order_id = entry.order_id and before.reason in ('capture', 'charge', 'refund') and before.id < entry.id) desc, place
  limit 1
$function$;

CREATE OR REPLACE FUNCTION public.buyer_noted(buyer jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select jsonb_strip_nulls(jsonb_build_object('country', buyer -> 'country', 'vat_id', buyer -> 'vat_id'))
$function$;

CREATE OR REPLACE FUNCTION public.chain_journal()
 RETURNS trigger
 LANGUAGE plpgsql
 SET "TimeZone" TO 'UTC'
AS $function$
declare
  name constant id_text := coalesce(new.account_id, 'seller');
  head journal_heads;
  fresh record;
begin
  select * into head from journal_heads where chain = name for no key update;
  if not found then
    insert into journal_heads values (name, 0, '') on conflict do nothing;
    select * into head from journal_heads where chain = name for no key update;
  end if;
  select position, hash into fresh from journal
    where coalesce(account_id, 'seller') = name and position > head.position order by position desc limit 1;
  new.position := coalesce(fresh.position, head.position) + 1;
  new.hash := journal_hash(coalesce(fresh.hash, head.hash), to_jsonb(new));
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.guard_correction()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform 1 from invoices where id = new.credit_note_id and type = 'credit_note' and status = 'draft';
  if not found then
    raise exception 'invoice % is no draft of a credit note', new.credit_note_id;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.guard_deposit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.amount_minor - new.deposit_minor <> (
    select coalesce(sum(case when credit ~ '^(deferred|revenue|refunds|tax):' then amount_minor else -amount_minor end), 0)
    from journal where order_id = new.id and (credit ~ '^(deferred|revenue|refunds|tax):' or debit ~ '^(deferred|revenue|refunds|tax):')
  ) then
    raise exception 'order % would sell a deposit, which is only held', new.id;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.guard_invoice()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.status <> 'draft' then
    raise exception 'invoice % is issued and never changes', old.id;
  end if;
  if (new.id, new.account_id, new.type, new.currency, new.period_start_at, new.period_end_at)
    is distinct from (old.id, old.account_id, old.type, old.currency, old.period_start_at, old.period_end_at) then
    raise exception 'draft % keeps its account, type, currency and period', old.id;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.guard_order()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.status <> 'pending' then
    raise exception 'order % is settled and never changes', old.id;
  end if;
  if new.invoice_id is not null then
    perform 1 from invoices where id = new.invoice_id and account_id = new.account_id and status = 'draft';
    if not found then
      raise exception 'order % cannot be added to invoice %, which is no draft of its account', new.id, new.invoice_id;
    end if;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.guard_order_line()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform 1 from orders where id = new.order_id and status <> 'pending';
  if found then
    raise exception 'order % is settled and never changes', new.order_id;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.guard_outage()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.status = 'credited' or (tg_op = 'DELETE' and old.status <> 'open') then
    raise exception 'outage % has been credited and never changes', old.id;
  end if;
  if tg_op = 'DELETE' then return old; end if;
  if (new.id, new.region, new.vm_id, new.from_at, new.to_at, new.reason, new.actor, new.created_at)
    is distinct from (old.id, old.region, old.vm_id, old.from_at, old.to_at, old.reason, old.actor, old.created_at)
    or new.credited_up_to < old.credited_up_to or new.status = 'open' then
    raise exception 'outage % stays what it was reported as', old.id;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.guard_promo_credit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if to_jsonb(new) - array['remaining_minor', 'revoked_at', 'seal'] <> to_jsonb(old) - array['remaining_minor', 'revoked_at', 'seal']
    or new.revoked_at is distinct from old.revoked_at and old.revoked_at is not null then
    raise exception 'promotional credit % is given once and never changes', old.id;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.guard_reversal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare taken bigint;
begin
  select coalesce(-sum(amount_minor), 0) into taken from payments where id in (
    select payment_id from top_up_reversal_payments where reversal_id = new.id
    union all select unnest(array[new.payment_id, new.returned_payment_id]));
  if old.payment_id <> new.payment_id or old.returned_payment_id <> new.returned_payment_id
    or (case new.status when 'owed' then taken < 0 or taken >= new.amount_minor
      when 'taken' then taken <> new.amount_minor else taken <> 0 end) then
    raise exception 'the payments do not add up to reversal %, which is % with % taken of %', new.id, new.status, taken, new.amount_minor;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.guard_series()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.type <> old.type or new.last < old.last or new.last = old.last and new.last_issued_at is distinct from old.last_issued_at or new.last_issued_at < old.last_issued_at then
    raise exception 'the series of % only goes forward', old.type;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.guard_snapshot_usage()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.until_at is not null or new.until_at is null
    or (new.snapshot_id, new.account_id, new.vm_id, new.size_bytes, new.from_at)
      is distinct from (old.snapshot_id, old.account_id, old.vm_id, old.size_bytes, old.from_at) then
    raise exception 'the use of snapshot % only ends, once', old.snapshot_id;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.journal_hash(previous bytea, content jsonb)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select sha256(previous || convert_to((jsonb_strip_nulls(content) - 'hash')::text, 'UTF8'))
$function$;

CREATE OR REPLACE FUNCTION public.leave_out_deposits()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.total_minor := (select coalesce(sum(line.amount_minor), 0) from orders join order_lines line on order_id = orders.id
    where orders.invoice_id = new.id and unit <> 'deposit');
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.line_buyer(line order_lines)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(line.sold_to, (
    select buyer_noted(coalesce(invoices.buyer, to_jsonb(profile)))
    from orders left join invoices on invoices.id = orders.invoice_id
      left join billing_profiles profile on profile.account_id = orders.account_id
    where orders.id = line.order_id))
$function$;

CREATE OR REPLACE FUNCTION public.move_journal_head()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update journal_heads set position = new.position, hash = new.hash where chain = coalesce(new.account_id, 'seller');
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.note_buyer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  select jsonb_build_object('name', name, 'street', street, 'city', city, 'postcode', postcode, 'country', country,
      'vat_id', vat_id, 'tax_number', null, 'registration_id', null, 'email', null)
    into new.buyer from billing_profiles where account_id = new.account_id;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.note_entry_buyer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  buyer jsonb;
begin
  select line.tax_category, line_buyer(line) into new.tax_category, buyer from booked_line(new) line;
  new.country := buyer ->> 'country';
  new.vat_id := buyer ->> 'vat_id';
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.note_hostname()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  select vms.hostname into new.hostname from orders join vms on vms.id = orders.vm_id where orders.id = new.order_id;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.note_line_buyer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  of orders;
begin
  select * into of from orders where id = new.order_id;
  if of.corrects_order_id is not null then
    select line_buyer(line) into new.sold_to from order_lines line
      where order_id = of.corrects_order_id and unit <> 'deposit'
        and (tax_rate, tax_category) = (new.tax_rate, new.tax_category)
      order by (line.add_on is not distinct from new.add_on) desc, (amount_minor < 0) = (new.amount_minor > 0) desc, (from_at, to_at) = (new.from_at, new.to_at) desc, position
      limit 1;
  elsif new.amount_minor < 0 and of.adjustment is distinct from 'credit' or new.unit = 'hour'
    or of.deposit_minor is not null and (new.unit = 'adjustment' or new.unit = 'month' and of.kind = 'hourly_usage') then
    select line_buyer(sold) into new.sold_to from orders sale join order_lines sold on sold.order_id = sale.id,
      lateral (select sold.from_at <= new.from_at and sold.to_at >= new.to_at as in_period) service
      where sale.vm_id = of.vm_id and sale.status = 'completed' and sold.amount_minor >= 0
        and (sold.tax_rate, sold.tax_category) = (new.tax_rate, new.tax_category)
        and (in_period or new.amount_minor < 0)
      order by (sold.add_on is not distinct from new.add_on) desc, in_period desc, sale.id desc, sold.position desc limit 1;
  end if;
  new.sold_to := coalesce(new.sold_to, buyer_noted(of.buyer), '{}');
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_book_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% of % is refused: what is booked, settled or issued never changes', lower(tg_op), tg_table_name;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the journal is append-only';
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_log_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the operator log is append-only';
end $function$;

CREATE OR REPLACE FUNCTION public.row_seal(content jsonb)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select sha256(convert_to((jsonb_strip_nulls(content) - 'seal')::text, 'UTF8'))
$function$;

CREATE OR REPLACE FUNCTION public.seal_row()
 RETURNS trigger
 LANGUAGE plpgsql
 SET "TimeZone" TO 'UTC'
AS $function$
begin
  new.seal := row_seal(to_jsonb(new));
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.seal_terms_of_account()
 RETURNS trigger
 LANGUAGE plpgsql
 SET "TimeZone" TO 'UTC'
AS $function$
begin
  new.seal := row_seal(terms_of_account(new));
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.seal_terms_of_correction()
 RETURNS trigger
 LANGUAGE plpgsql
 SET "TimeZone" TO 'UTC'
AS $function$
begin
  new.seal := row_seal(terms_of_correction(new));
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.seal_terms_of_vm()
 RETURNS trigger
 LANGUAGE plpgsql
 SET "TimeZone" TO 'UTC'
AS $function$
begin
  new.seal := row_seal(terms_of_vm(new));
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.seal_terms_of_wallet()
 RETURNS trigger
 LANGUAGE plpgsql
 SET "TimeZone" TO 'UTC'
AS $function$
begin
  new.seal := row_seal(terms_of_wallet(new));
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.tell_account_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('account_changed', new.account_id || ' ' || tg_argv[0]);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.terms_of_account(it accounts)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_build_object('id', it.id, 'currency', it.currency, 'limits', it.limits, 'created_at', it.created_at)
$function$;

CREATE OR REPLACE FUNCTION public.terms_of_correction(it invoice_corrections)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_build_object('credit_note_id', it.credit_note_id, 'invoice_id', it.invoice_id)
$function$;

CREATE OR REPLACE FUNCTION public.terms_of_vm(it vms)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_build_object('id', it.id, 'account_id', it.account_id, 'plan', it.plan, 'vcpu', it.vcpu, 'ram_mb', it.ram_mb, 'disk_gb', it.disk_gb, 'dedicated', it.dedicated, 'bandwidth_gb', it.bandwidth_gb, 'price_monthly_minor', it.price_monthly_minor, 'currency', it.currency, 'tax_rate', it.tax_rate, 'rounding_remainder', it.rounding_remainder, 'refundable_minor', it.refundable_minor, 'priced_at', it.priced_at, 'next_billing_mode', it.next_billing_mode, 'price_hourly_micros', it.price_hourly_micros, 'metered_since', it.metered_since, 'usage_priced', it.usage_priced, 'deposit_minor', it.deposit_minor, 'deposit_since', it.deposit_since, 'usage_sold_until', it.usage_sold_until, 'auto_renew', it.auto_renew, 'renewal_priority', it.renewal_priority, 'billing_anchor_day', it.billing_anchor_day, 'billing_period_start_at', it.billing_period_start_at, 'billing_period_end_at', it.billing_period_end_at, 'upgraded_at', it.upgraded_at, 'retires_at', it.retires_at, 'price_notice_minor', it.price_notice_minor, 'price_notice_at', it.price_notice_at, 'price_notice_from_at', it.price_notice_from_at, 'unpaid_since', it.unpaid_since, 'suspended_at', it.suspended_at, 'grace_ended_at', it.grace_ended_at, 'resume_after_payment', it.resume_after_payment, 'deletion_notice_at', it.deletion_notice_at, 'deletion_failed_at', it.deletion_failed_at, 'created_at', it.created_at, 'deleted_at', it.deleted_at, 'add_ons', it.add_ons, 'debt_suspended_at', it.debt_suspended_at, 'throttle_mbps', it.throttle_mbps, 'throttle_cause', it.throttle_cause)
$function$;

CREATE OR REPLACE FUNCTION public.terms_of_wallet(it wallets)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_build_object('account_id', it.account_id, 'grace_began_at', it.grace_began_at, 'debt_warned_at', it.debt_warned_at)
$function$;

CREATE TRIGGER accounts_sealed BEFORE INSERT OR UPDATE OF seal, id, currency, limits, created_at ON public.accounts FOR EACH ROW EXECUTE FUNCTION seal_terms_of_account();
CREATE TRIGGER api_keys_tell AFTER INSERT OR UPDATE OF revoked_at ON public.api_keys FOR EACH ROW EXECUTE FUNCTION tell_account_changed('keys');
CREATE TRIGGER books_kept BEFORE DELETE OR UPDATE ON public.books FOR EACH ROW EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER books_no_truncate BEFORE TRUNCATE ON public.books FOR EACH STATEMENT EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER books_sealed BEFORE INSERT ON public.books FOR EACH ROW EXECUTE FUNCTION seal_row();
CREATE TRIGGER invoice_corrections_issued BEFORE INSERT ON public.invoice_corrections FOR EACH ROW EXECUTE FUNCTION guard_correction();
CREATE TRIGGER invoice_corrections_kept BEFORE DELETE OR UPDATE ON public.invoice_corrections FOR EACH ROW EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER invoice_corrections_no_truncate BEFORE TRUNCATE ON public.invoice_corrections FOR EACH STATEMENT EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER invoice_corrections_sealed BEFORE INSERT OR UPDATE OF seal, credit_note_id, invoice_id ON public.invoice_corrections FOR EACH ROW EXECUTE FUNCTION seal_terms_of_correction();
CREATE TRIGGER invoices_deposits BEFORE UPDATE ON public.invoices FOR EACH ROW WHEN (((old.status = 'draft'::text) AND (new.status <> 'draft'::text) AND (new.taxes IS NULL))) EXECUTE FUNCTION leave_out_deposits();
CREATE TRIGGER invoices_issued BEFORE UPDATE ON public.invoices FOR EACH ROW EXECUTE FUNCTION guard_invoice();
CREATE TRIGGER invoices_kept BEFORE DELETE ON public.invoices FOR EACH ROW EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER invoices_no_truncate BEFORE TRUNCATE ON public.invoices FOR EACH STATEMENT EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER invoices_sealed BEFORE INSERT OR UPDATE ON public.invoices FOR EACH ROW EXECUTE FUNCTION seal_row();
CREATE TRIGGER journal_append_only BEFORE DELETE OR UPDATE ON public.journal FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER journal_buyer BEFORE INSERT ON public.journal FOR EACH ROW WHEN (((new.tax_category IS NULL) AND (new.order_id IS NOT NULL) AND (new.reason = ANY (ARRAY['capture'::text, 'charge'::text, 'refund'::text])))) EXECUTE FUNCTION note_entry_buyer();
CREATE TRIGGER journal_chained BEFORE INSERT ON public.journal FOR EACH ROW EXECUTE FUNCTION chain_journal();
CREATE TRIGGER journal_head_moved AFTER INSERT ON public.journal FOR EACH ROW EXECUTE FUNCTION move_journal_head();
CREATE TRIGGER journal_no_truncate BEFORE TRUNCATE ON public.journal FOR EACH STATEMENT EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER number_series_forward BEFORE UPDATE ON public.number_series FOR EACH ROW EXECUTE FUNCTION guard_series();
CREATE TRIGGER number_series_kept BEFORE DELETE ON public.number_series FOR EACH ROW EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER number_series_no_truncate BEFORE TRUNCATE ON public.number_series FOR EACH STATEMENT EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER operator_keys_append_only BEFORE DELETE OR UPDATE ON public.operator_keys FOR EACH ROW EXECUTE FUNCTION refuse_log_change();
CREATE TRIGGER operator_log_append_only BEFORE DELETE OR UPDATE ON public.operator_log FOR EACH ROW EXECUTE FUNCTION refuse_log_change();
CREATE TRIGGER operator_outcomes_append_only BEFORE DELETE OR UPDATE ON public.operator_outcomes FOR EACH ROW EXECUTE FUNCTION refuse_log_change();
CREATE TRIGGER order_lines_buyer BEFORE INSERT ON public.order_lines FOR EACH ROW EXECUTE FUNCTION note_line_buyer();
CREATE TRIGGER order_lines_hostname BEFORE INSERT ON public.order_lines FOR EACH ROW EXECUTE FUNCTION note_hostname();
CREATE TRIGGER order_lines_kept BEFORE DELETE OR UPDATE ON public.order_lines FOR EACH ROW EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER order_lines_no_truncate BEFORE TRUNCATE ON public.order_lines FOR EACH STATEMENT EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER order_lines_sealed BEFORE INSERT OR UPDATE ON public.order_lines FOR EACH ROW EXECUTE FUNCTION seal_row();
CREATE TRIGGER order_lines_settled BEFORE INSERT ON public.order_lines FOR EACH ROW EXECUTE FUNCTION guard_order_line();
CREATE TRIGGER orders_buyer BEFORE INSERT ON public.orders FOR EACH ROW EXECUTE FUNCTION note_buyer();
CREATE TRIGGER orders_deposit BEFORE UPDATE ON public.orders FOR EACH ROW WHEN (((new.status = 'completed'::text) AND (new.deposit_minor IS NOT NULL))) EXECUTE FUNCTION guard_deposit();
CREATE TRIGGER orders_kept BEFORE DELETE ON public.orders FOR EACH ROW EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER orders_no_truncate BEFORE TRUNCATE ON public.orders FOR EACH STATEMENT EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER orders_sealed BEFORE INSERT OR UPDATE ON public.orders FOR EACH ROW EXECUTE FUNCTION seal_row();
CREATE TRIGGER orders_settled BEFORE UPDATE ON public.orders FOR EACH ROW EXECUTE FUNCTION guard_order();
CREATE TRIGGER outages_kept BEFORE DELETE OR UPDATE ON public.outages FOR EACH ROW EXECUTE FUNCTION guard_outage();
CREATE TRIGGER outages_no_truncate BEFORE TRUNCATE ON public.outages FOR EACH STATEMENT EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER outages_sealed BEFORE INSERT OR UPDATE ON public.outages FOR EACH ROW EXECUTE FUNCTION seal_row();
CREATE TRIGGER payments_sealed BEFORE INSERT OR UPDATE ON public.payments FOR EACH ROW EXECUTE FUNCTION seal_row();
CREATE TRIGGER promo_credits_given BEFORE UPDATE ON public.promo_credits FOR EACH ROW EXECUTE FUNCTION guard_promo_credit();
CREATE TRIGGER promo_credits_kept BEFORE DELETE ON public.promo_credits FOR EACH ROW EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER promo_credits_no_truncate BEFORE TRUNCATE ON public.promo_credits FOR EACH STATEMENT EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER promo_credits_sealed BEFORE INSERT OR UPDATE ON public.promo_credits FOR EACH ROW EXECUTE FUNCTION seal_row();
CREATE TRIGGER promo_draws_kept BEFORE DELETE OR UPDATE ON public.promo_draws FOR EACH ROW EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER promo_draws_no_truncate BEFORE TRUNCATE ON public.promo_draws FOR EACH STATEMENT EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER promo_draws_sealed BEFORE INSERT ON public.promo_draws FOR EACH ROW EXECUTE FUNCTION seal_row();
CREATE TRIGGER series_gaps_kept BEFORE DELETE OR UPDATE ON public.series_gaps FOR EACH ROW EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER series_gaps_no_truncate BEFORE TRUNCATE ON public.series_gaps FOR EACH STATEMENT EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER series_gaps_sealed BEFORE INSERT ON public.series_gaps FOR EACH ROW EXECUTE FUNCTION seal_row();
CREATE TRIGGER shield_attacks_tell AFTER INSERT OR UPDATE OF status ON public.shield_attacks FOR EACH ROW EXECUTE FUNCTION tell_account_changed('shield');
CREATE TRIGGER snapshot_usage_ended BEFORE UPDATE ON public.snapshot_usage FOR EACH ROW EXECUTE FUNCTION guard_snapshot_usage();
CREATE TRIGGER snapshot_usage_kept BEFORE DELETE ON public.snapshot_usage FOR EACH ROW EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER snapshot_usage_no_truncate BEFORE TRUNCATE ON public.snapshot_usage FOR EACH STATEMENT EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER snapshot_usage_sealed BEFORE INSERT OR UPDATE ON public.snapshot_usage FOR EACH ROW EXECUTE FUNCTION seal_row();
CREATE TRIGGER top_up_reversal_payments_kept BEFORE DELETE OR UPDATE ON public.top_up_reversal_payments FOR EACH ROW EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER top_up_reversal_payments_no_truncate BEFORE TRUNCATE ON public.top_up_reversal_payments FOR EACH STATEMENT EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER top_up_reversals_add_up BEFORE UPDATE OF status, amount_minor, payment_id, returned_payment_id ON public.top_up_reversals FOR EACH ROW EXECUTE FUNCTION guard_reversal();
CREATE TRIGGER top_up_reversals_sealed BEFORE INSERT OR UPDATE ON public.top_up_reversals FOR EACH ROW EXECUTE FUNCTION seal_row();
CREATE TRIGGER usage_readings_kept BEFORE DELETE OR UPDATE ON public.usage_readings FOR EACH ROW EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER usage_readings_no_truncate BEFORE TRUNCATE ON public.usage_readings FOR EACH STATEMENT EXECUTE FUNCTION refuse_book_change();
CREATE TRIGGER usage_readings_sealed BEFORE INSERT OR UPDATE ON public.usage_readings FOR EACH ROW EXECUTE FUNCTION seal_row();
CREATE TRIGGER vms_sealed BEFORE INSERT OR UPDATE OF seal, id, account_id, plan, vcpu, ram_mb, disk_gb, dedicated, bandwidth_gb, price_monthly_minor, currency, tax_rate, rounding_remainder, refundable_minor, priced_at, next_billing_mode, price_hourly_micros, metered_since, usage_priced, deposit_minor, deposit_since, usage_sold_until, auto_renew, renewal_priority, billing_anchor_day, billing_period_start_at, billing_period_end_at, upgraded_at, retires_at, price_notice_minor, price_notice_at, price_notice_from_at, unpaid_since, suspended_at, grace_ended_at, resume_after_payment, deletion_notice_at, deletion_failed_at, created_at, deleted_at, add_ons, debt_suspended_at, throttle_mbps, throttle_cause ON public.vms FOR EACH ROW EXECUTE FUNCTION seal_terms_of_vm();
CREATE TRIGGER wallets_sealed BEFORE INSERT OR UPDATE OF seal, account_id, grace_began_at, debt_warned_at ON public.wallets FOR EACH ROW EXECUTE FUNCTION seal_terms_of_wallet();
CREATE TRIGGER wallets_tell AFTER UPDATE ON public.wallets FOR EACH ROW WHEN (((old.available_minor IS DISTINCT FROM new.available_minor) OR (old.held_minor IS DISTINCT FROM new.held_minor) OR (old.claimed_minor IS DISTINCT FROM new.claimed_minor))) EXECUTE FUNCTION tell_account_changed('wallet');
