import type { Migration } from '../migrate.ts';

/** Credit that was drawn is known by line, so that it goes back by the period that it paid for. */
export const disputedMoney: Migration = {
  name: '0049-disputed-money',
  up: `
-- The line of the order that the credit pays for, or is given back by. Null without a default, so that draws of before,
-- and those of a failed order, keep their seals: they count for all lines of their order, by their amounts.
alter table promo_draws add column position int;
`,
  down: `
alter table promo_draws drop column position;
`,
};
