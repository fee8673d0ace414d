import type { Migration } from '../migrate.ts';

/** Who buys and who sells: what decides on the tax of a sale, and what an invoice says of both once it is issued. */
export const billingProfiles: Migration = {
  name: '0014-billing-profiles',
  up: `
create table billing_profiles (
  account_id id_text primary key references accounts,
  kind text not null check (kind in ('business', 'consumer')),
  name text not null,
  street text not null,
  city text not null,
  postcode text,
  country text not null check (country ~ '^[A-Z]{2}$'),
  -- Normalized: capitals and digits.
  vat_id text,
  exempt_reason text,
  updated_at timestamptz not null
);

-- How a line is taxed, and why it is not where it is not. So far every buyer was at home.
alter table order_lines add column tax_category text not null default 'standard'
  check (tax_category in ('standard', 'zero_rated', 'exempt', 'reverse_charge', 'outside_scope'));
alter table order_lines alter column tax_category drop default;
alter table order_lines add column tax_reason text;
alter table order_lines disable trigger order_lines_kept;
-- Every line, since a column that is not null is part of what its seal says.
update order_lines set tax_category = case when tax_rate = 0 then 'zero_rated' else 'standard' end;
alter table order_lines enable trigger order_lines_kept;
alter table order_lines add check (tax_rate = 0 or tax_category = 'standard');

-- As they were at issue; null for drafts, and for what was issued before.
alter table invoices add column seller jsonb;
alter table invoices add column buyer jsonb;
create index invoices_by_number on invoices (number);
`,
  down: `
drop index invoices_by_number;
alter table invoices drop column buyer;
alter table invoices drop column seller;
alter table order_lines drop column tax_reason;
alter table order_lines drop column tax_category;
drop table billing_profiles;
`,
};
