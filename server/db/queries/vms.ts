import { empty, execute, join, maybeOne, type Queryable, raw, sql } from '../database.ts';
import type { JobKind, ThrottleCause, VmStatus, WantedPower } from '../enums.ts';
import { type JobRow, type JsonJob, reviveJob } from './jobs.ts';

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
  /** Its virtual CPUs have cores of their own. */
  dedicated: boolean;
  bandwidth_gb: number | null;
  mac: string;
  /** What made its guest (`cluster/engine-claim.ts`). */
  engine: string | null;
  /** Where its guest is, or is to be made; and, while it is being moved, where to. */
  host_id: string | null;
  moving_to: string | null;
  price_monthly_minor: bigint;
  currency: string;
  /** Of the sale of the running period, such as "0.2". */
  tax_rate: string;
  /** What rounding has left uncharged of the running period, in minor units times seconds. */
  rounding_remainder: bigint;
  /** What may still be given back of the running period; null where none of it has been corrected. */
  refundable_minor: bigint | null;
  /** How the periods to come are to be billed. */
  next_billing_mode: 'monthly' | 'hourly';
  /** Of the running period, in millionths of a major unit, and since when hours are counted; null by the month. */
  price_hourly_micros: bigint | null;
  metered_since: Date | null;
  /** What is held for the running period, and since when; null by the month, and of a period that was sold in advance. */
  deposit_minor: bigint | null;
  deposit_since: Date | null;
  /** The end of the latest period whose usage was sold out of its deposit. */
  usage_sold_until: Date | null;
  auto_renew: boolean;
  billing_anchor_day: number;
  billing_period_start_at: Date;
  billing_period_end_at: Date;
  unpaid_since: Date | null;
  suspended_at: Date | null;
  /** When its grace ended, where it was switched off or was not to be renewed any more; as granted then, and not changed later. */
  grace_ended_at: Date | null;
  resume_after_payment: boolean;
  /** When it was switched off because its account owes something, which may be long before its paid period ends. */
  debt_suspended_at: Date | null;
  /** Where money is short, the lower number is renewed first. */
  renewal_priority: number;
  /** When the change to a dearer size was ordered that it has now; null where there was none. */
  upgraded_at: Date | null;
  /** How many of the notices before the end of the running period have had their time. */
  renewal_notices: number;
  /** When its owner got notice of its deletion, and when that was given up: such a VM is never renewed. */
  deletion_notice_at: Date | null;
  deletion_failed_at: Date | null;
  /** Some of what it uses in the running period has a price, see `queries/meters.ts`. */
  usage_priced: boolean;
  /** How many of the notices of included traffic were given in the running period. */
  traffic_notices: number;
  /** Fastest that it may send and receive until the cause is gone, in Mbit/s; 0 lets nothing pass, null is no throttle. */
  throttle_mbps: number | null;
  throttle_cause: ThrottleCause | null;
  /** Start of the period in which its owner last got notice of a throttle for each cause. */
  included_notice_for: Date | null;
  unpaid_notice_for: Date | null;
  /** Suspensions or deletions of the unpaid VM that failed in a row, and when the next is tried. */
  dunning_failures: number;
  dunning_next_at: Date | null;
  /** When what it has was sold: it keeps the price of that day for as long as the catalog says. */
  priced_at: Date;
  /** The last notice of a higher price: the price, when it was sent, and the month from which it is charged. */
  price_notice_minor: bigint | null;
  price_notice_at: Date | null;
  price_notice_from_at: Date | null;
  /** Start of the last month whose price was looked at for a notice. */
  prices_seen_until: Date | null;
  /** End of the last period of a retired plan, as announced to its owner. */
  retires_at: Date | null;
  /** What its customer wants its power to be. */
  wanted_power: WantedPower;
  /** Starts by the service in a row since it last ran for a while, and when the next may be. */
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

/** A VM with what its API object shows beside its own columns. */
export interface VmView extends VmRow {
  /** Its host cannot be reached, so that nothing can be done to it; null where it has none. */
  host_lost: boolean | null;
  /** Between which instants it is to be switched off and moved, as its owner was told; null where no such move is due. */
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

/** A VM that was written just now. */
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

/** A VM of this account, or undefined: there is no look-up of a customer's VM without the account. */
export async function findVm(db: Queryable, accountId: string, id: string): Promise<VmView | undefined> {
  const row = await maybeOne<RawView>(
    db,
    sql`select ${vmView} from vms where id = ${id} and account_id = ${accountId} and deleted_at is null`,
  );
  return row && toView(row);
}

/** The same, locked until the transaction ends: held by all that changes a VM or starts a job on it. */
export async function lockVm(db: Queryable, accountId: string, id: string): Promise<VmView | undefined> {
  const locked = await maybeOne(
    db,
    sql`select 1 from vms where id = ${id} and account_id = ${accountId} and deleted_at is null for no key update`,
  );
  return locked && findVm(db, accountId, id);
}

/** A VM without its account: for the service's own work (jobs, reconcilers), never for a request. */
export function systemFindVm(db: Queryable, id: string, forUpdate = false): Promise<VmRow | undefined> {
  return maybeOne<VmRow>(
    db,
    sql`select * from vms where id = ${id} ${forUpdate ? sql`for no key update` : empty}`,
  );
}

/** Columns that change after a VM was written. */
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
    .map(([column, value]) => sql`${COLUMN.get(column as keyof VmChange)!} = ${value}`);
  await execute(db, sql`update vms set ${join([...sets, sql`updated_at = ${at}`])} where id = ${id}`);
}

/** Whose a VM is, or was. */
export async function systemAccountOfVm(db: Queryable, id: string): Promise<string | undefined> {
  const row = await maybeOne<{ account_id: string }>(db, sql`select account_id from vms where id = ${id}`);
  return row?.account_id;
}
