import type { Migration } from '../migrate.ts';

/** Whatever may run is metered: a VM that is starting, in error or being resized as well. */
export const meteredVms: Migration = {
  name: '0023-metered-vms',
  up: `
create index vms_metered on vms (id) where deleted_at is null and status not in ('stopped', 'suspended');
drop index vms_running;
`,
  down: `
create index vms_running on vms (id) where deleted_at is null and status in ('running', 'stopping', 'rebooting');
drop index vms_metered;
`,
};
