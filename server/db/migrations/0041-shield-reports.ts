import type { Migration } from '../migrate.ts';

/** Another program may say that an address is attacked: what the edge cannot see itself. */
export const shieldReports: Migration = {
  name: '0041-shield-reports',
  up: `
-- Until when an attack goes on because another program has reported it; null where it was noticed here alone.
alter table shield_attacks add column reported_until timestamptz;
create index shield_attacks_reported on shield_attacks (reported_until)
  where status = 'ongoing' and reported_until is not null;
`,
  down: `
drop index shield_attacks_reported;
alter table shield_attacks drop column reported_until;
`,
};
