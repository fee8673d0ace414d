import type { Migration } from '../migrate.ts';

/** Jobs that fail again and again, the fence of a job's owner, and the order in which jobs get their turn. */
export const jobAttempts: Migration = {
  name: '0007-job-attempts',
  up: `
alter table jobs
  -- Raised by every claim: what an earlier owner still believes to hold is refused.
  add column epoch integer not null default 0,
  -- Failures in a row at the step that the job is at.
  add column attempts integer not null default 0,
  -- Null: as soon as there is room.
  add column next_attempt_at timestamptz,
  -- Started by the service itself (suspensions, resumptions, deletions of unpaid VMs), not by a customer.
  add column by_service boolean not null default false,
  -- Given up although not everything was undone: something may be left on the engine.
  add column abandoned boolean not null default false;
create index jobs_waiting on jobs (by_service, account_id, id) where owner is null and status in ('pending', 'running');
create index jobs_stuck on jobs (id) where attempts > 0 and status in ('pending', 'running');
create index jobs_abandoned on jobs (id) where abandoned;
`,
  down: `
drop index jobs_abandoned, jobs_stuck, jobs_waiting;
alter table jobs drop column epoch, drop column attempts, drop column next_attempt_at, drop column by_service,
  drop column abandoned;
`,
};
