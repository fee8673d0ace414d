import type { Migration } from '../migrate.ts';

/** Notices ahead of dunning, the order of renewals, and the grace that an upgrade does not extend. */
export const dunning: Migration = {
  name: '0012-dunning',
  up: `
alter table vms
  -- Where the wallet does not cover all renewals, the lower number goes first.
  add column renewal_priority integer not null default 100 check (renewal_priority between 1 and 1000),
  -- When the change to a dearer size was ordered that it has now.
  add column upgraded_at timestamptz,
  -- How many of the notices before the end of the running period have had their time.
  add column renewal_notices smallint not null default 0,
  add column deletion_notice_at timestamptz,
  -- Suspensions or deletions of an unpaid VM that failed in a row, and when the next is tried.
  add column dunning_failures integer not null default 0,
  add column dunning_next_at timestamptz,
  -- Its deletion was given up: its guest may be half gone, so it is never renewed.
  add column deletion_failed_at timestamptz;
-- Those whose next notice may be due.
create index vms_by_notice on vms (billing_period_end_at, renewal_notices)
  where deleted_at is null and auto_renew and renewal_notices < 3;
create index vms_dunning_failing on vms (id) where deleted_at is null and dunning_failures > 0;
`,
  down: `
drop index vms_by_notice, vms_dunning_failing;
alter table vms drop column renewal_priority, drop column upgraded_at, drop column renewal_notices,
  drop column deletion_notice_at, drop column dunning_failures, drop column dunning_next_at,
  drop column deletion_failed_at;
`,
};
