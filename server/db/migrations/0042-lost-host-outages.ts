import type { Migration } from '../migrate.ts';

/** Outages of hosts that were lost are reported by the service itself: each once, and those not credited yet are found. */
export const lostHostOutages: Migration = {
  name: '0042-lost-host-outages',
  up: `
create unique index outages_of_lost_hosts on outages (vm_id, from_at) where actor = 'service';
create index outages_to_credit on outages (id) where actor = 'service' and status <> 'credited';
`,
  down: `
drop index outages_to_credit, outages_of_lost_hosts;
`,
};
