import type { VmRow } from './vms.ts';

/*
 * The parts of a VM's row, by theme. A function takes the parts that it reads, so that its signature says what it
 * depends on.
 */

export type VmIdentity = Pick<VmRow, 'id' | 'account_id'>;

/** Size and plan, at the prices for which they were sold. */
export type VmConfiguration = Pick<
  VmRow,
  'plan' | 'vcpu' | 'ram_mb' | 'disk_gb' | 'bandwidth_gb' | 'price_monthly_minor' | 'price_hourly_micros'
>;

/** The period that is paid or due. */
export type VmPeriod = Pick<
  VmRow,
  'billing_period_start_at' | 'billing_period_end_at' | 'billing_anchor_day'
>;

/** The count of hours, and the deposit for them. */
export type VmMetering = Pick<
  VmRow,
  'price_hourly_micros' | 'metered_since' | 'deposit_minor' | 'deposit_since'
>;

/** The running period as it was sold, with the fields that decide whether it is settled. */
export type VmSale = VmMetering &
  Omit<VmPeriod, 'billing_anchor_day'> &
  Pick<VmRow, 'currency' | 'tax_rate' | 'rounding_remainder' | 'refundable_minor' | 'priced_at'> &
  Pick<VmRow, 'status' | 'deletion_failed_at' | 'usage_sold_until'>;

/** The fields that decide whether a VM is renewed at the end of its period. */
export type VmRenewal = Pick<VmRow, 'auto_renew' | 'billing_period_end_at' | 'retires_at'>;

/** The notice of a price increase that its owner was given. */
export type VmPriceNotice = Pick<VmRow, 'price_notice_minor' | 'price_notice_at' | 'price_notice_from_at'>;

/** The fields that decide the price of the coming months. */
export type VmPricing = VmConfiguration &
  VmPriceNotice &
  Omit<VmPeriod, 'billing_period_start_at'> &
  Pick<VmRow, 'priced_at' | 'suspended_at'>;

/** The fields that decide how long a VM runs after its period if it is unpaid. */
export type VmGrace = VmRenewal & Pick<VmRow, 'upgraded_at' | 'grace_ended_at' | 'debt_suspended_at'>;

/** The fields that decide when a VM is switched off and deleted if it stays unpaid. */
export type VmDunning = VmGrace & Pick<VmRow, 'suspended_at' | 'deletion_notice_at' | 'dunning_next_at'>;

/** Currency and due date of an amount due. */
export type VmDue = Pick<VmRow, 'currency' | 'billing_period_end_at'>;

/** The state, and whether the VM should run. */
export type VmPower = Pick<VmRow, 'status' | 'wanted_power'>;
