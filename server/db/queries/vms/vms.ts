import {
  empty,
  execute,
  join,
  maybeOne,
  type Queryable,
  raw,
  type Sql,
  sql,
  type Transaction,
} from '../../database.ts';
import type { JobKind, ThrottleCause, VmStatus, WantedPower } from '../../enums.ts';
import type { StoredAddOn } from '../money/stored-add-ons.ts';
import { type JobRow, type JsonJob, reviveJob } from '../service/jobs.ts';

export interface VmRow {
  id: string;
  account_id: string;
  hostname: string;
  notes: string | null;
  status: VmStatus;
  plan: string | null;
  template: string;
  region: string;
  zone: string;
  vcpu: number;
  ram_mb: number;
  disk_gb: number;
  /** True if its virtual CPUs have dedicated cores. */
  dedicated: boolean;
  bandwidth_gb: number | null;
  mac: string;
  /** The engine that made its guest (`cluster/engine-claim.ts`). */
  engine: string | null;
  /** Host of its guest, existing or planned, and the target host during a move. */
  host_id: string | null;
  moving_to: string | null;
  price_monthly_minor: bigint;
  currency: string;
  /** Tax rate of the sale of the current period, such as "0.2". */
  tax_rate: string;
  /** Amount of the current period left uncharged by rounding, in minor units times seconds. */
  rounding_remainder: bigint;
  /** Amount of the current period that may still be refunded; null if none of it has been corrected. */
  refundable_minor: bigint | null;
  /** Its add-ons in the order of their codes, see `domain/billing/add-ons.ts`; null if it has none. */
  add_ons: StoredAddOn[] | null;
  next_billing_mode: 'monthly' | 'hourly';
  /**
   * Hourly price in the current period, in millionths of a major unit, and since when hours are counted; null if billed
   * monthly.
   */
  price_hourly_micros: bigint | null;
  metered_since: Date | null;
  /**
   * Deposit held for the current period, and since when; null if billed monthly, and for a period that was sold in
   * advance.
   */
  deposit_minor: bigint | null;
  deposit_since: Date | null;
  /** End of the latest period whose usage was sold out of its deposit. */
  usage_sold_until: Date | null;
  auto_renew: boolean;
  billing_anchor_day: number;
  billing_period_start_at: Date;
  billing_period_end_at: Date;
  unpaid_since: Date | null;
  suspended_at: Date | null;
  /**
   * When the grace ended for a VM that was switched off or no longer renews; set as granted then, and not changed
   * later.
   */
  grace_ended_at: Date | null;
  resume_after_payment: boolean;
  /** When it was switched off because its account is in debt, possibly long before its paid period ends. */
  debt_suspended_at: Date | null;
  /** If there is not enough money, lower numbers renew first. */
  renewal_priority: number;
  /** When the latest upgrade to a more expensive size was ordered; null if there was none. */
  upgraded_at: Date | null;
  /** The number of notices before the end of the current period whose time has passed. */
  renewal_notices: number;
  /** When its owner was notified of its deletion, and when deleting it was given up: such a VM is never renewed. */
  deletion_notice_at: Date | null;
  deletion_failed_at: Date | null;
  /** True if some of its usage in the current period has a price, see `queries/meters.ts`. */
  usage_priced: boolean;
  /** The number of notices about included traffic that were given in the current period. */
  traffic_notices: number;
  /**
   * Maximum rate for sending and receiving until the cause is gone, in Mbit/s; 0 blocks all traffic, null means no
   * throttle.
   */
  throttle_mbps: number | null;
  throttle_cause: ThrottleCause | null;
  /** Start of the period in which its owner was last notified of a throttle, for each cause. */
  included_notice_for: Date | null;
  unpaid_notice_for: Date | null;
  /** Number of consecutive failures to suspend or delete the unpaid VM, and when to try again. */
  dunning_failures: number;
  dunning_next_at: Date | null;
  /** When its current configuration was sold: it keeps that day's price for as long as the catalog says. */
  priced_at: Date;
  /** The last notice of a price increase: the price, when it was sent, and the month from which it applies. */
  price_notice_minor: bigint | null;
  price_notice_at: Date | null;
  price_notice_from_at: Date | null;
  /** Start of the last month whose price was checked for a notice. */
  prices_seen_until: Date | null;
  /** End of the last period on a retired plan, as announced to its owner. */
  retires_at: Date | null;
  wanted_power: WantedPower;
  /** Number of consecutive restarts by the service since it last ran for a while, and when the next is allowed. */
  restart_attempts: number;
  restart_next_at: Date | null;
  provisioned_at: Date | null;
  active_job_id: string | null;
  last_job_id: string | null;
  network_generation: number;
  network_applied: number;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
}

/** A VM with the fields of its API object that are not its own columns. */
export interface VmView extends VmRow {
  /** True if its host is unreachable, so that nothing can be done to the VM; null if it has no host. */
  host_lost: boolean | null;
  /** Window in which it will be switched off and moved, as announced to its owner; null if no such move is planned. */
  move_from_at: Date | null;
  move_to_at: Date | null;
  ipv4: string | null;
  ipv6: string | null;
  active_job_kind: JobKind | null;
  active_job: JobRow | null;
  last_job: JobRow | null;
}

export type RawView = Omit<VmView, 'active_job_kind' | 'active_job' | 'last_job'> & {
  jobs: JsonJob[] | null;
};

export const vmView = sql`vms.*,
  (select lost_at is not null from hosts where hosts.id = vms.host_id) as host_lost,
  (select from_at from vm_move_windows where vm_id = vms.id) as move_from_at,
  (select to_at from vm_move_windows where vm_id = vms.id) as move_to_at,
  (select host(address) from ip_addresses where vm_id = vms.id and family(address) = 4 order by address limit 1) as ipv4,
  (select host(address) from ip_addresses where vm_id = vms.id and family(address) = 6 order by address limit 1) as ipv6,
  (select jsonb_agg(to_jsonb(jobs)) from jobs where jobs.id in (vms.active_job_id, vms.last_job_id)) as jobs`;

export function toView({ jobs, ...row }: RawView): VmView {
  const find = (id: string | null) => {
    const job = id === null ? undefined : jobs?.find((one) => one.id === id);
    return job ? reviveJob(job) : null;
  };
  const active = find(row.active_job_id);
  return {
    ...row,
    active_job: active,
    active_job_kind: active?.kind ?? null,
    last_job: find(row.last_job_id),
  };
}

/** Returns the view of a VM that was just inserted. */
export function newView(vm: VmRow): VmView {
  return {
    ...vm,
    host_lost: false,
    move_from_at: null,
    move_to_at: null,
    ipv4: null,
    ipv6: null,
    active_job: null,
    active_job_kind: null,
    last_job: null,
  };
}

/** Returns the account's VM, or undefined. A customer's VM is never looked up without the account. */
export async function findVm(db: Queryable, accountId: string, id: string): Promise<VmView | undefined> {
  const row = await maybeOne<RawView>(
    db,
    sql`select ${vmView} from vms where id = ${id} and account_id = ${accountId} and deleted_at is null`,
  );
  return row && toView(row);
}

/**
 * Returns the account's VM and locks it until the transaction ends. Everything that changes a VM or starts a job on it
 * holds this lock.
 */
export async function lockVm(db: Queryable, accountId: string, id: string): Promise<VmView | undefined> {
  const locked = await maybeOne(
    db,
    sql`select 1 from vms where id = ${id} and account_id = ${accountId} and deleted_at is null for no key update`,
  );
  return locked && findVm(db, accountId, id);
}

/** Returns a VM regardless of its account: for the service's own work (jobs, reconcilers), never for a request. */
export function systemFindVm(db: Queryable, id: string, forUpdate = false): Promise<VmRow | undefined> {
  return maybeOne<VmRow>(
    db,
    sql`select * from vms where id = ${id} ${forUpdate ? sql`for no key update` : empty}`,
  );
}

/** Columns that may change after the VM was inserted. */
const CHANGEABLE = [
  'hostname',
  'notes',
  'status',
  'plan',
  'template',
  'zone',
  'host_id',
  'moving_to',
  'vcpu',
  'ram_mb',
  'disk_gb',
  'dedicated',
  'bandwidth_gb',
  'price_monthly_minor',
  'tax_rate',
  'rounding_remainder',
  'refundable_minor',
  'add_ons',
  'next_billing_mode',
  'price_hourly_micros',
  'metered_since',
  'deposit_minor',
  'deposit_since',
  'usage_sold_until',
  'auto_renew',
  'renewal_priority',
  'billing_anchor_day',
  'billing_period_start_at',
  'billing_period_end_at',
  'unpaid_since',
  'suspended_at',
  'grace_ended_at',
  'resume_after_payment',
  'debt_suspended_at',
  'upgraded_at',
  'renewal_notices',
  'deletion_notice_at',
  'dunning_failures',
  'dunning_next_at',
  'deletion_failed_at',
  'usage_priced',
  'traffic_notices',
  'throttle_mbps',
  'throttle_cause',
  'included_notice_for',
  'unpaid_notice_for',
  'priced_at',
  'price_notice_minor',
  'price_notice_at',
  'price_notice_from_at',
  'prices_seen_until',
  'retires_at',
  'wanted_power',
  'restart_attempts',
  'restart_next_at',
  'provisioned_at',
  'active_job_id',
  'last_job_id',
  'network_applied',
  'deleted_at',
] as const satisfies (keyof VmRow)[];
export type VmChange = Partial<Pick<VmRow, (typeof CHANGEABLE)[number]>>;
const COLUMN = new Map(CHANGEABLE.map((column) => [column, raw(column)]));

/** Sets the given columns. Column names come from the list above, never from input. */
export async function updateVm(db: Queryable, id: string, change: VmChange, at: Date): Promise<void> {
  const sets = Object.entries(change)
    .filter(([, value]) => value !== undefined)
    .map(([column, value]) => sql`${COLUMN.get(column as keyof VmChange)!} = ${stored(column, value)}`);
  await execute(db, sql`update vms set ${join([...sets, sql`updated_at = ${at}`])} where id = ${id}`);
}

function stored(column: string, value: VmChange[keyof VmChange]): Sql {
  return column === 'add_ons' ? sql`${value && JSON.stringify(value)}::text::jsonb` : sql`${value}`;
}

/** Makes the next round of price notices look again at all VMs of an account. */
export async function lookAtPricesAgain(tx: Transaction, accountId: string): Promise<void> {
  await execute(
    tx,
    sql`
    with mine as (
      select id from vms where account_id = ${accountId} and deleted_at is null order by id for no key update
    )
    update vms set prices_seen_until = null from mine where vms.id = mine.id`,
  );
}

/** Returns the account of a VM, including a deleted one. */
export async function systemAccountOfVm(db: Queryable, id: string): Promise<string | undefined> {
  const row = await maybeOne<{ account_id: string }>(db, sql`select account_id from vms where id = ${id}`);
  return row?.account_id;
}
