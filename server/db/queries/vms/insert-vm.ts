import { maybeOne, type Queryable, sql } from '../../database.ts';
import type { VmRow } from './vms.ts';

/** The fields of a VM that are known when it is bought. */
export type NewVm = Omit<
  VmRow,
  | 'host_id'
  | 'moving_to'
  | 'rounding_remainder'
  | 'refundable_minor'
  | 'add_ons'
  | 'usage_sold_until'
  | 'unpaid_since'
  | 'suspended_at'
  | 'grace_ended_at'
  | 'resume_after_payment'
  | 'debt_suspended_at'
  | 'upgraded_at'
  | 'renewal_notices'
  | 'deletion_notice_at'
  | 'dunning_failures'
  | 'dunning_next_at'
  | 'deletion_failed_at'
  | 'usage_priced'
  | 'traffic_notices'
  | 'throttle_mbps'
  | 'throttle_cause'
  | 'included_notice_for'
  | 'unpaid_notice_for'
  | 'priced_at'
  | 'price_notice_minor'
  | 'price_notice_at'
  | 'price_notice_from_at'
  | 'prices_seen_until'
  | 'retires_at'
  | 'wanted_power'
  | 'restart_attempts'
  | 'restart_next_at'
  | 'provisioned_at'
  | 'active_job_id'
  | 'last_job_id'
  | 'network_generation'
  | 'network_applied'
  | 'updated_at'
  | 'deleted_at'
>;

/** Inserts a VM; undefined if another one has its MAC address. */
export function insertVm(db: Queryable, vm: NewVm): Promise<VmRow | undefined> {
  return maybeOne<VmRow>(
    db,
    sql`
    insert into vms (id, account_id, hostname, notes, status, plan, template, region, zone, vcpu, ram_mb, disk_gb,
      dedicated, bandwidth_gb, mac, engine, price_monthly_minor, currency, tax_rate, next_billing_mode, price_hourly_micros,
      metered_since, deposit_minor, deposit_since, auto_renew, renewal_priority, billing_anchor_day, billing_period_start_at, billing_period_end_at, priced_at, created_at, updated_at)
    values (${vm.id}, ${vm.account_id}, ${vm.hostname}, ${vm.notes}, ${vm.status}, ${vm.plan}, ${vm.template},
      ${vm.region}, ${vm.zone}, ${vm.vcpu}, ${vm.ram_mb}, ${vm.disk_gb}, ${vm.dedicated}, ${vm.bandwidth_gb}, ${vm.mac},
      ${vm.engine}, ${vm.price_monthly_minor}::bigint, ${vm.currency}, ${vm.tax_rate}, ${vm.next_billing_mode},
      ${vm.price_hourly_micros}::bigint, ${vm.metered_since}, ${vm.deposit_minor}::bigint, ${vm.deposit_since}, ${vm.auto_renew},
      ${vm.renewal_priority}, ${vm.billing_anchor_day},
      ${vm.billing_period_start_at}, ${vm.billing_period_end_at}, ${vm.created_at}, ${vm.created_at}, ${vm.created_at})
    on conflict (mac) where deleted_at is null and not mac_shared do nothing returning *`,
  );
}
