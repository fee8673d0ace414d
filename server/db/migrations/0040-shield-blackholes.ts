import type { Migration } from '../migrate.ts';

/** The last resort against an attack ends by itself, whatever happens to the service meanwhile. */
export const shieldBlackholes: Migration = {
  name: '0040-shield-blackholes',
  up: `
-- Until when everything to the target is dropped; null where nothing of the kind is wanted.
alter table shield_targets add column blackholed_until timestamptz;
`,
  down: `
alter table shield_targets drop column blackholed_until;
`,
};
