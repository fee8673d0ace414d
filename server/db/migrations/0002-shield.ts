import type { Migration } from '../migrate.ts';

/** DDoS Shield: tenants, targets, rules, attacks, edge traffic. */
export const shield: Migration = {
  name: '0002-shield',
  up: `
create table shield_tenants (
  id id_text primary key,
  account_id id_text not null references accounts,
  name text not null,
  created_at timestamptz not null
);
create index shield_tenants_by_account on shield_tenants (account_id, id desc);

create table shield_targets (
  id id_text primary key,
  account_id id_text not null references accounts,
  tenant_id id_text not null references shield_tenants,
  vm_id id_text references vms,
  -- One target an address, one that is being taken off the edge included: the edge knows targets by address.
  ip inet not null unique,
  mode text not null,
  -- What the edge is to have, and what it has.
  generation integer not null default 1,
  applied integer not null default 0,
  baseline_pps double precision,
  baseline_bps double precision,
  created_at timestamptz not null,
  -- The row goes once the edge has let go of the address.
  removed_at timestamptz
);
create index shield_targets_by_tenant on shield_targets (tenant_id, id desc);
create index shield_targets_by_vm on shield_targets (vm_id) where vm_id is not null;
create index shield_targets_behind on shield_targets (id) where applied < generation;

create table shield_rules (
  id id_text primary key,
  account_id id_text not null references accounts,
  target_id id_text not null references shield_targets on delete cascade,
  origin text not null,
  attack_id id_text,
  action text not null,
  match jsonb not null,
  rate jsonb,
  -- Of action, match and rate: two rules of a target never mean the same.
  fingerprint text not null,
  priority integer not null,
  comment text,
  enabled boolean not null,
  expires_at timestamptz,
  status text not null,
  generation integer not null,
  created_at timestamptz not null,
  unique (target_id, fingerprint)
);
create index shield_rules_by_target on shield_rules (target_id, id desc);
create index shield_rules_by_expiry on shield_rules (expires_at) where expires_at is not null;
create index shield_rules_by_attack on shield_rules (attack_id) where attack_id is not null;

-- History: stays when its target goes.
create table shield_attacks (
  id id_text primary key,
  account_id id_text not null references accounts,
  tenant_id id_text not null references shield_tenants,
  target_id id_text not null,
  ip inet not null,
  status text not null,
  vectors text[] not null,
  severity text not null,
  reason text not null,
  started_at timestamptz not null,
  mitigated_at timestamptz,
  ended_at timestamptz,
  peak_bps bigint not null,
  peak_bps_at timestamptz not null,
  peak_pps bigint not null,
  peak_pps_at timestamptz not null,
  dropped_bytes bigint not null,
  dropped_packets bigint not null
);
create index shield_attacks_by_target on shield_attacks (target_id, id desc);
create index shield_attacks_by_tenant on shield_attacks (tenant_id, started_at);
create index shield_attacks_by_end on shield_attacks (ended_at) where ended_at is not null;
create unique index shield_attacks_ongoing on shield_attacks (target_id) where status = 'ongoing';

-- Edge traffic, kept as the metrics of VMs are.
create table edge_samples (
  target_id id_text not null,
  at timestamptz not null,
  passed_bps real,
  passed_pps real,
  dropped_bps real,
  dropped_pps real,
  out_bps real,
  primary key (target_id, at)
);
create index edge_samples_by_age on edge_samples (at);
create table edge_rollups (
  target_id id_text not null,
  step_seconds integer not null,
  chunk_start timestamptz not null,
  points real[] not null,
  primary key (target_id, step_seconds, chunk_start)
);
create index edge_rollups_by_age on edge_rollups (step_seconds, chunk_start);
create table edge_counters (
  target_id id_text primary key,
  at timestamptz not null,
  counters jsonb not null
);

-- The simulated edge's own memory.
create table simulator_edge_targets (
  id id_text primary key,
  state jsonb not null
);
`,
  down: `
drop table simulator_edge_targets, edge_counters, edge_rollups, edge_samples, shield_attacks, shield_rules,
  shield_targets, shield_tenants;
`,
};
