import { empty, join, maybeOne, one, type Queryable, type Sql, sql } from '../database.ts';
import type { JobKind, VmStatus } from '../enums.ts';
import type { JobRow } from './jobs.ts';
import { type Page, pageOf } from './page.ts';

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
  bandwidth_gb: number | null;
  mac: string;
  price_monthly_minor: bigint;
  currency: string;
  auto_renew: boolean;
  billing_anchor_day: number;
  billing_period_start_at: Date;
  billing_period_end_at: Date;
  unpaid_since: Date | null;
  suspended_at: Date | null;
  resume_after_payment: boolean;
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
  ipv4: string | null;
  ipv6: string | null;
  active_job_kind: JobKind | null;
  active_job: JobRow | null;
  last_job: JobRow | null;
}

type RawView = Omit<VmView, 'active_job_kind' | 'active_job' | 'last_job'> & { jobs: JsonJob[] | null };
type JsonJob = { [K in keyof JobRow]: JobRow[K] extends Date | null ? string | null : JobRow[K] };

const view = sql`vms.*,
  (select host(address) from ip_addresses where vm_id = vms.id and family(address) = 4 order by address limit 1) as ipv4,
  (select host(address) from ip_addresses where vm_id = vms.id and family(address) = 6 order by address limit 1) as ipv6,
  (select jsonb_agg(to_jsonb(jobs)) from jobs where jobs.id in (vms.active_job_id, vms.last_job_id)) as jobs`;

function toView({ jobs, ...row }: RawView): VmView {
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

const date = (text: string | null) => (text === null ? null : new Date(text));

/** A job that travelled as JSON inside another row. */
function reviveJob(job: JsonJob): JobRow {
  return {
    ...job,
    created_at: new Date(job.created_at as string),
    started_at: date(job.started_at),
    finished_at: date(job.finished_at),
  } as JobRow;
}

/** A VM of this account, or undefined: there is no look-up of a customer's VM without the account. */
export async function findVm(db: Queryable, accountId: string, id: string): Promise<VmView | undefined> {
  const row = await maybeOne<RawView>(
    db,
    sql`select ${view} from vms where id = ${id} and account_id = ${accountId} and deleted_at is null`,
  );
  return row && toView(row);
}

/** The same, locked until the transaction ends: whoever changes a VM or starts a job on it holds this. */
export async function lockVm(db: Queryable, accountId: string, id: string): Promise<VmView | undefined> {
  const locked = await maybeOne(
    db,
    sql`select 1 from vms where id = ${id} and account_id = ${accountId} and deleted_at is null for update`,
  );
  return locked && findVm(db, accountId, id);
}

export interface VmFilter {
  status?: string;
  region?: string;
  hostname?: string;
}

export async function listVms(
  db: Queryable,
  accountId: string,
  filter: VmFilter,
  page: Page,
): Promise<VmView[]> {
  const conditions: Sql[] = [sql`account_id = ${accountId}`, sql`deleted_at is null`];
  if (filter.status) conditions.push(sql`status = ${filter.status}`);
  if (filter.region) conditions.push(sql`region = ${filter.region}`);
  if (filter.hostname) conditions.push(sql`hostname = ${filter.hostname}`);
  const rows = await db.query<RawView>(
    sql`select ${view} from vms where ${join(conditions, ' and ')} ${pageOf(sql`vms.id`, page)}`,
  );
  return rows.map(toView);
}

/** A VM without its account: for the service's own work (jobs, reconcilers), never for a request. */
export function systemFindVm(db: Queryable, id: string, forUpdate = false): Promise<VmRow | undefined> {
  return maybeOne<VmRow>(db, sql`select * from vms where id = ${id} ${forUpdate ? sql`for update` : empty}`);
}

export type NewVm = Omit<
  VmRow,
  | 'unpaid_since'
  | 'suspended_at'
  | 'resume_after_payment'
  | 'provisioned_at'
  | 'active_job_id'
  | 'last_job_id'
  | 'network_generation'
  | 'network_applied'
  | 'updated_at'
  | 'deleted_at'
>;

export async function insertVm(db: Queryable, vm: NewVm): Promise<void> {
  await db.query(sql`
    insert into vms (id, account_id, hostname, notes, status, plan, template, region, zone, vcpu, ram_mb, disk_gb,
      bandwidth_gb, mac, price_monthly_minor, currency, auto_renew, billing_anchor_day, billing_period_start_at,
      billing_period_end_at, created_at, updated_at)
    values (${vm.id}, ${vm.account_id}, ${vm.hostname}, ${vm.notes}, ${vm.status}, ${vm.plan}, ${vm.template},
      ${vm.region}, ${vm.zone}, ${vm.vcpu}, ${vm.ram_mb}, ${vm.disk_gb}, ${vm.bandwidth_gb}, ${vm.mac},
      ${vm.price_monthly_minor}::bigint, ${vm.currency}, ${vm.auto_renew}, ${vm.billing_anchor_day},
      ${vm.billing_period_start_at}, ${vm.billing_period_end_at}, ${vm.created_at}, ${vm.created_at})`);
}

export type VmChange = Partial<
  Pick<
    VmRow,
    | 'hostname'
    | 'notes'
    | 'status'
    | 'plan'
    | 'vcpu'
    | 'ram_mb'
    | 'disk_gb'
    | 'bandwidth_gb'
    | 'price_monthly_minor'
    | 'billing_period_start_at'
    | 'billing_period_end_at'
    | 'unpaid_since'
    | 'suspended_at'
    | 'resume_after_payment'
    | 'provisioned_at'
    | 'active_job_id'
    | 'last_job_id'
    | 'network_applied'
    | 'deleted_at'
  >
>;

/** Sets the given columns. Column names come from the type above, never from input. */
export async function updateVm(db: Queryable, id: string, change: VmChange, at: Date): Promise<void> {
  const sets = Object.entries(change)
    .filter(([, value]) => value !== undefined)
    .map(([column, value]) => sql`${COLUMN[column as keyof VmChange]} = ${value}`);
  await db.query(sql`update vms set ${join([...sets, sql`updated_at = ${at}`])} where id = ${id}`);
}

const COLUMN: Record<keyof Required<VmChange>, Sql> = {
  hostname: sql`hostname`,
  notes: sql`notes`,
  status: sql`status`,
  plan: sql`plan`,
  vcpu: sql`vcpu`,
  ram_mb: sql`ram_mb`,
  disk_gb: sql`disk_gb`,
  bandwidth_gb: sql`bandwidth_gb`,
  price_monthly_minor: sql`price_monthly_minor`,
  billing_period_start_at: sql`billing_period_start_at`,
  billing_period_end_at: sql`billing_period_end_at`,
  unpaid_since: sql`unpaid_since`,
  suspended_at: sql`suspended_at`,
  resume_after_payment: sql`resume_after_payment`,
  provisioned_at: sql`provisioned_at`,
  active_job_id: sql`active_job_id`,
  last_job_id: sql`last_job_id`,
  network_applied: sql`network_applied`,
  deleted_at: sql`deleted_at`,
};

/** Marks the network rules as changed and returns the generation that the change belongs to. */
export async function bumpNetworkGeneration(db: Queryable, id: string, at: Date): Promise<number> {
  const row = await one<{ network_generation: number }>(
    db,
    sql`update vms set network_generation = network_generation + 1, updated_at = ${at} where id = ${id}
        returning network_generation`,
  );
  return row.network_generation;
}

export interface Usage {
  vms: number;
  vcpu: number;
  ram_mb: number;
  disk_gb: number;
}

/**
 * What an account's VMs take together; what its quotas are compared with. A VM that is being resized counts
 * as the larger of what it is and what it becomes: either may be how its job ends.
 */
export function accountUsage(db: Queryable, accountId: string): Promise<Usage> {
  return one<Usage>(
    db,
    sql`select count(*)::int as vms,
          coalesce(sum(greatest(vcpu, (input->'vcpu')::int)), 0)::int as vcpu,
          coalesce(sum(greatest(ram_mb, (input->'ram_mb')::int)), 0)::int as ram_mb,
          coalesce(sum(greatest(disk_gb, (input->'disk_gb')::int)), 0)::int as disk_gb
        from vms left join jobs on jobs.id = active_job_id and jobs.kind in ('change_plan', 'change_custom')
        where vms.account_id = ${accountId} and deleted_at is null
          and not (vms.status = 'error' and provisioned_at is null)`,
  );
}
