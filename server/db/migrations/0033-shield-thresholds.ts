import type { Migration } from '../migrate.ts';

/** What an attack on a target is where its operator says so, and what customers were told of their attacks. */
export const shieldThresholds: Migration = {
  name: '0033-shield-thresholds',
  up: `
-- From how much on what comes in is an attack; learnt from what is usual where it is null.
alter table shield_targets
  add column threshold_pps bigint check (threshold_pps > 0),
  add column threshold_bps bigint check (threshold_bps > 0);

-- What was counted and mailed of an attack: that it began, that it is mitigated, that it is over.
alter table shield_attacks add column announced text[] not null default '{}';
update shield_attacks set announced = '{started,mitigated,ended}';
create index shield_attacks_to_announce on shield_attacks (id) where not announced @> '{ended}';
`,
  down: `
alter table shield_attacks drop column announced;
alter table shield_targets drop column threshold_pps, drop column threshold_bps;
`,
};
