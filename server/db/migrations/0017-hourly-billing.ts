import type { Migration } from '../migrate.ts';

/** VMs that are billed by the hours that are used of a month, up to its price. */
export const hourlyBilling: Migration = {
  name: '0017-hourly-billing',
  up: `
alter table vms
  -- How its owner wants the periods to come to be billed.
  add column next_billing_mode text not null default 'monthly' check (next_billing_mode in ('monthly', 'hourly')),
  -- Of the running period: what an hour costs, in millionths of a major unit, and since when hours are counted, which is
  -- the start of the period or the last change in it. Null where it is billed by the month.
  add column price_hourly_micros bigint check (price_hourly_micros >= 0),
  add column metered_since timestamptz,
  add constraint vms_metered check ((price_hourly_micros is null) = (metered_since is null));
-- What an hour costs of a month, or of the rest of one, that is billed by the hour. Null without a default, so that lines
-- of before keep their seals.
alter table order_lines add column price_hourly text;
`,
  down: `
alter table order_lines drop column price_hourly;
alter table vms drop column metered_since, drop column price_hourly_micros, drop column next_billing_mode;
`,
};
