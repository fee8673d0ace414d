import type { Migration } from '../migrate.ts';

/** What a VM's owner was told of its price to come, and of its plan that ends. */
export const priceChanges: Migration = {
  name: '0019-price-changes',
  up: `
alter table vms
  -- When what it has was sold: it keeps the price of that day for as long as the catalog says.
  add column priced_at timestamptz,
  -- The higher price that its owner was told of last, when that was, and from when it is renewed at it.
  add column price_notice_minor bigint check (price_notice_minor >= 0),
  add column price_notice_at timestamptz,
  add column price_notice_from_at timestamptz,
  -- Start of the last month whose price was looked at for a notice.
  add column prices_seen_until timestamptz,
  -- End of the last period of a plan that is retired, as its owner was told.
  add column retires_at timestamptz,
  add constraint vms_price_notice check (
    num_nulls(price_notice_minor, price_notice_at, price_notice_from_at) in (0, 3));
update vms set priced_at = coalesce((
  select max(created_at) from orders
  where vm_id = vms.id and status = 'completed' and kind in ('create', 'change_plan', 'change_custom')), created_at);
alter table vms alter column priced_at set not null;
create index vms_by_prices_seen on vms (prices_seen_until nulls first, id) where deleted_at is null and auto_renew;
`,
  down: `
drop index vms_by_prices_seen;
alter table vms drop constraint vms_price_notice, drop column priced_at, drop column price_notice_minor,
  drop column price_notice_at, drop column price_notice_from_at, drop column prices_seen_until, drop column retires_at;
`,
};
