import type { Migration } from '../migrate.ts';

/** The AI SSH agent: one conversation a VM, its runs, and what was said and done. */
export const agent: Migration = {
  name: '0005-agent',
  up: `
create table agent_sessions (
  vm_id id_text primary key references vms,
  account_id id_text not null references accounts,
  id id_text not null,
  next_seq integer not null default 1,
  started_at timestamptz not null
);

create table agent_runs (
  id id_text primary key,
  account_id id_text not null references accounts,
  vm_id id_text not null references vms,
  session_id id_text not null,
  key_id id_text not null,
  state text not null check (state in ('running', 'awaiting_approval', 'finished')),
  stop_reason text check (stop_reason in ('completed', 'max_steps', 'canceled', 'timeout', 'error')),
  approval_mode text not null check (approval_mode in ('dangerous', 'all', 'never')),
  max_steps integer not null,
  steps integer not null default 0,
  event_seq integer not null default 0,
  input_tokens bigint,
  output_tokens bigint,
  -- The command that waits for the customer's word; gone with the word, so it is good once.
  approval jsonb,
  owner bigint,
  started_at timestamptz not null,
  finished_at timestamptz,
  check ((state = 'finished') = (stop_reason is not null)),
  check ((state = 'awaiting_approval') = (approval is not null)),
  check ((state = 'running') = (owner is not null))
);
create unique index agent_runs_one_a_vm on agent_runs (vm_id) where state <> 'finished';
create index agent_runs_by_age on agent_runs (finished_at) where state = 'finished';

create table agent_entries (
  vm_id id_text not null references vms,
  seq integer not null,
  session_id id_text not null,
  run_id id_text not null,
  role text not null check (role in ('user', 'assistant', 'command', 'system')),
  -- Null while the command runs.
  content text,
  command text,
  command_id id_text,
  exit_code integer,
  created_at timestamptz not null,
  primary key (vm_id, seq)
);
`,
  down: `
drop table agent_entries, agent_runs, agent_sessions;
`,
};
