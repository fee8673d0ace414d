import type { Migration } from '../migrate.ts';

/**
 * Gives buyers the country that was meant where their code is none and only one can be meant. Other codes that are none stay:
 * their owners are asked again. What was sold keeps its tax.
 */
export const knownCountries: Migration = {
  name: '0048-known-countries',
  up: `
update billing_profiles set country = meant.country
from (values ('UK', 'GB'), ('EL', 'GR'), ('BU', 'MM'), ('DD', 'DE'), ('DY', 'BJ'), ('FX', 'FR'), ('HV', 'BF'), ('NH', 'VU'),
  ('RH', 'ZW'), ('TP', 'TL'), ('VD', 'VN'), ('YD', 'YE'), ('ZR', 'CD')) as meant (code, country)
where billing_profiles.country = meant.code;
`,
  down: `
-- The countries that were meant are right before it, too.
select 1;
`,
};
