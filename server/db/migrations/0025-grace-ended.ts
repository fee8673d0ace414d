import type { Migration } from '../migrate.ts';

/** When the grace of an unpaid VM ended: what was granted is known for as long as it may have to be paid. */
export const graceEnded: Migration = {
  name: '0025-grace-ended',
  up: `
alter table vms add column grace_ended_at timestamptz;
`,
  down: `
alter table vms drop column grace_ended_at;
`,
};
