import type { Migration } from '../migrate.ts';

/** Indexes of what housekeeping looks for, so that a round reads what is due and not whole tables. */
export const housekeeping: Migration = {
  name: '0006-housekeeping',
  up: `
create index jobs_by_end on jobs (finished_at, id) where finished_at is not null;
drop index jobs_finished;
create index invoices_drafts on invoices (period_end_at) where status = 'draft';
create index vms_failed_creations on vms (updated_at)
  where deleted_at is null and status = 'error' and provisioned_at is null and active_job_id is null;
create index console_shares_by_expiry on console_shares (expires_at);
create index console_viewers_by_sight on console_viewers (seen_at);
create index rate_windows_by_age on rate_windows (window_start);
create index shield_rules_pending on shield_rules (target_id) where status = 'pending';
`,
  down: `
drop index shield_rules_pending;
drop index rate_windows_by_age;
drop index console_viewers_by_sight;
drop index console_shares_by_expiry;
drop index vms_failed_creations;
drop index invoices_drafts;
create index jobs_finished on jobs (finished_at) where finished_at is not null;
drop index jobs_by_end;
`,
};
