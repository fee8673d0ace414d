import type { Migration } from '../migrate.ts';

/** What is sealed of a VM: what was sold and when, and what became of its payments. */
export const TERMS = [
  ...['id', 'account_id', 'plan', 'vcpu', 'ram_mb', 'disk_gb', 'dedicated', 'bandwidth_gb'],
  ...['price_monthly_minor', 'currency', 'tax_rate', 'rounding_remainder', 'refundable_minor', 'priced_at'],
  ...['next_billing_mode', 'price_hourly_micros', 'metered_since', 'usage_priced'],
  ...['deposit_minor', 'deposit_since', 'usage_sold_until'],
  ...['auto_renew', 'renewal_priority', 'billing_anchor_day'],
  ...['billing_period_start_at', 'billing_period_end_at', 'upgraded_at', 'retires_at'],
  ...['price_notice_minor', 'price_notice_at', 'price_notice_from_at'],
  ...['unpaid_since', 'suspended_at', 'grace_ended_at', 'resume_after_payment'],
  ...['deletion_notice_at', 'deletion_failed_at', 'created_at', 'deleted_at'],
];

const termsFunction = (table: string, terms: string, columns: readonly string[]) => `
create or replace function ${terms}(it ${table}) returns jsonb language sql stable as $$
  select jsonb_build_object(${columns.map((column) => `'${column}', it.${column}`).join(', ')})
$$;`;
const resealing = (table: string, terms: string, columns: readonly string[]) => `
set local timezone = 'UTC';
update ${table} set seal = row_seal(${terms}(${table}));
create trigger ${table}_sealed before insert or update of seal, ${columns.join(', ')} on ${table}
  for each row execute function seal_${terms}();`;

export const sealed = (table: string, terms: string, columns: readonly string[]) => `
${termsFunction(table, terms, columns)}
create function seal_${terms}() returns trigger language plpgsql set timezone = 'UTC' as $$
begin
  new.seal := row_seal(${terms}(new));
  return new;
end $$;
-- Null is no seal: the trigger fills it, for nodes of the last release too.
alter table ${table} add column seal bytea;${resealing(table, terms, columns)}`;

/** Seals other columns of a table that is sealed already. */
export const sealedAs = (table: string, terms: string, columns: readonly string[]) => `
drop trigger ${table}_sealed on ${table};${termsFunction(table, terms, columns)}${resealing(table, terms, columns)}`;

export const unsealed = (table: string, terms: string) => `
drop trigger ${table}_sealed on ${table};
alter table ${table} drop column seal;
drop function seal_${terms}, ${terms};`;

/** What was sold is sealed where it is kept too, and so are accounts' limits and what credit notes correct. */
export const sealedVms: Migration = {
  name: '0056-sealed-vms',
  up: `
${sealed('vms', 'terms_of_vm', TERMS)}
${sealed('accounts', 'terms_of_account', ['id', 'currency', 'limits', 'created_at'])}
alter table invoice_corrections disable trigger user;
${sealed('invoice_corrections', 'terms_of_correction', ['credit_note_id', 'invoice_id'])}
alter table invoice_corrections enable trigger user;
`,
  down: `
${unsealed('invoice_corrections', 'terms_of_correction')}
${unsealed('accounts', 'terms_of_account')}
${unsealed('vms', 'terms_of_vm')}
`,
};
