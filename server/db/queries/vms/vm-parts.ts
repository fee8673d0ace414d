import type { VmRow } from './vms.ts';

/*
 * The parts of a VM's row, by theme. A function takes the parts that it reads, so that its signature says what it
 * depends on.
 */

export type VmIdentity = Pick<VmRow, 'id' | 'account_id'>;

/** Its size and plan, at the prices for which they were sold. */
export type VmConfiguration = Pick<
  VmRow,
  'plan' | 'vcpu' | 'ram_mb' | 'disk_gb' | 'bandwidth_gb' | 'price_monthly_minor' | 'price_hourly_micros'
>;

/** The period that is paid or due. */
export type VmPeriod = Pick<
  VmRow,
  'billing_period_start_at' | 'billing_period_end_at' | 'billing_anchor_day'
>;

/** How its hours are counted, and the deposit for them. */
export type VmMetering = Pick<
  VmRow,
  'price_hourly_micros' | 'metered_since' | 'deposit_minor' | 'deposit_since'
>;

/** Its running period as it was sold, and what decides whether that period is settled. */
export type VmSale = VmMetering &
  Omit<VmPeriod, 'billing_anchor_day'> &
  Pick<VmRow, 'currency' | 'tax_rate' | 'rounding_remainder' | 'refundable_minor' | 'priced_at'> &
  Pick<VmRow, 'status' | 'deletion_failed_at' | 'usage_sold_until'>;

/** What decides whether it is renewed at the end of its period. */
export type VmRenewal = Pick<VmRow, 'auto_renew' | 'billing_period_end_at' | 'retires_at'>;

/** The notice of a price increase that its owner was given. */
export type VmPriceNotice = Pick<VmRow, 'price_notice_minor' | 'price_notice_at' | 'price_notice_from_at'>;

/** What decides the price of its coming months. */
export type VmPricing = VmConfiguration &
  VmPriceNotice &
  Omit<VmPeriod, 'billing_period_start_at'> &
  Pick<VmRow, 'priced_at' | 'suspended_at'>;

/** What decides how long it runs after its period if it is unpaid. */
export type VmGrace = VmRenewal & Pick<VmRow, 'upgraded_at' | 'grace_ended_at' | 'debt_suspended_at'>;

/** What decides when it is switched off and deleted if it stays unpaid. */
export type VmDunning = VmGrace & Pick<VmRow, 'suspended_at' | 'deletion_notice_at' | 'dunning_next_at'>;

/** An amount due for it is in this currency, and due at this time. */
export type VmDue = Pick<VmRow, 'currency' | 'billing_period_end_at'>;

/** Its state, and whether it should run. */
export type VmPower = Pick<VmRow, 'status' | 'wanted_power'>;
