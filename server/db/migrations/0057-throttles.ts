import type { Migration } from '../migrate.ts';

/** How fast a VM may be while its traffic has come to a bound, as part of the network that is wanted for it. */
export const throttles: Migration = {
  name: '0057-throttles',
  up: `
-- Mbit/s; 0 lets nothing pass, null is no throttle. Nodes of the last release know none: they neither set nor end one.
alter table vms
  add column throttle_mbps integer check (throttle_mbps >= 0),
  add column throttle_cause text check (throttle_cause in ('included_traffic', 'unpaid_usage')),
  -- Start of the last period in which its owner got notice of each.
  add column included_notice_for timestamptz,
  add column unpaid_notice_for timestamptz,
  add constraint vms_throttle check ((throttle_mbps is null) = (throttle_cause is null));
create index vms_throttled on vms (account_id) where throttle_mbps is not null;
`,
  down: `
update vms set network_generation = network_generation + 1 where throttle_mbps is not null;
alter table vms drop column throttle_mbps, drop column throttle_cause, drop column included_notice_for,
  drop column unpaid_notice_for;
`,
};
