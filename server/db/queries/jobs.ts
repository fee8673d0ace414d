import { empty, maybeOne, one, type Queryable, type Sql, sql } from '../database.ts';
import type { JobKind } from '../enums.ts';
import { type Page, pageOf } from './page.ts';
import type { VmRow } from './vms.ts';

export type JobStatus = 'pending' | 'running' | 'succeeded' | 'failed' | 'canceled';

export interface JobRow {
  id: string;
  account_id: string;
  vm_id: string;
  kind: JobKind;
  status: JobStatus;
  step: number;
  undoing: boolean;
  progress: number;
  input: Record<string, unknown>;
  order_id: string | null;
  owner: bigint | null;
  error_code: string | null;
  error_message: string | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

export type NewJob = Pick<
  JobRow,
  'id' | 'account_id' | 'vm_id' | 'kind' | 'input' | 'order_id' | 'created_at'
>;

export function insertJob(db: Queryable, job: NewJob): Promise<JobRow> {
  return one<JobRow>(
    db,
    sql`
    insert into jobs (id, account_id, vm_id, kind, status, input, order_id, created_at)
    values (${job.id}, ${job.account_id}, ${job.vm_id}, ${job.kind}, 'pending', ${JSON.stringify(job.input)}::text::jsonb,
      ${job.order_id}, ${job.created_at}) returning *`,
  );
}

export function listJobs(db: Queryable, vmId: string, activeOnly: boolean, page: Page): Promise<JobRow[]> {
  const active = activeOnly ? sql`and status in ('pending', 'running')` : empty;
  return db.query<JobRow>(sql`select * from jobs where vm_id = ${vmId} ${active} ${pageOf(sql`id`, page)}`);
}

/** Ids of jobs that nobody runs: waiting ones, and those whose node is gone. Oldest first. */
export function unownedJobs(db: Queryable, limit: number): Promise<{ id: string }[]> {
  return db.query(sql`
    select id from jobs where status in ('pending', 'running') and owner is null order by id limit ${limit}`);
}

/**
 * Takes a job for this node, with its VM, unless it is finished, has an owner, or another job of the same VM
 * is still being run: a cancelled job keeps its owner until its step has let go, so two never touch one guest.
 */
export async function claimJob(
  tx: Queryable,
  id: string,
  owner: bigint,
  at: Date,
): Promise<{ job: JobRow; vm: VmRow } | undefined> {
  const vm = await maybeOne<VmRow>(
    tx,
    sql`
    select * from vms where id = (select vm_id from jobs
      where id = ${id} and owner is null and status in ('pending', 'running')) for update`,
  );
  if (!vm) return undefined;
  const job = await maybeOne<JobRow>(
    tx,
    sql`
    update jobs set owner = ${owner}::bigint, status = 'running', started_at = coalesce(started_at, ${at})
    where id = ${id} and owner is null and status in ('pending', 'running')
      and not exists (select 1 from jobs other where other.vm_id = jobs.vm_id and other.owner is not null)
    returning *`,
  );
  return job && { job, vm };
}

/** Records progress. False when the job is no longer ours: it was cancelled, or taken over. */
export function advanceJob(
  db: Queryable,
  job: { id: string; owner: bigint },
  state: { step: number; undoing: boolean; progress: number; error?: { code: string; message: string } },
): Promise<boolean> {
  const error = state.error
    ? sql`, error_code = ${state.error.code}, error_message = ${state.error.message}`
    : empty;
  return changed(
    db,
    sql`update jobs set step = ${state.step}, undoing = ${state.undoing}, progress = ${state.progress} ${error}
        where id = ${job.id} and owner = ${job.owner}::bigint and status = 'running' returning id`,
  );
}

/** Ends a job that is ours and wipes its input, which may hold an encrypted secret. */
export function finishJob(
  db: Queryable,
  job: { id: string; owner: bigint },
  status: 'succeeded' | 'failed',
  at: Date,
): Promise<boolean> {
  const progress = status === 'succeeded' ? sql`, progress = 100` : empty;
  return changed(
    db,
    sql`update jobs set status = ${status}, finished_at = ${at}, owner = null, input = '{}' ${progress}
        where id = ${job.id} and owner = ${job.owner}::bigint and status = 'running' returning id`,
  );
}

/** Cancels an unfinished job. Its node, if it has one, notices and lets go. */
export async function cancelJob(db: Queryable, id: string, at: Date): Promise<void> {
  await db.query(sql`
    update jobs set status = 'canceled', finished_at = ${at}, input = '{}' where id = ${id} and status in ('pending', 'running')`);
}

/** Lets go of a job, whatever became of it, so that the VM's next job may run. */
export async function releaseJob(db: Queryable, job: { id: string; owner: bigint }): Promise<void> {
  await db.query(sql`update jobs set owner = null where id = ${job.id} and owner = ${job.owner}::bigint`);
}

async function changed(db: Queryable, statement: Sql): Promise<boolean> {
  return (await db.query(statement)).length > 0;
}

/** Nodes that hold jobs. */
export async function jobOwners(db: Queryable): Promise<bigint[]> {
  const rows = await db.query<{ owner: bigint }>(
    sql`select distinct owner from jobs where owner is not null`,
  );
  return rows.map((row) => row.owner);
}

/** Frees the jobs of a node that is gone, to be taken by another. */
export async function disownJobs(db: Queryable, owner: bigint): Promise<void> {
  await db.query(sql`update jobs set owner = null where owner = ${owner}::bigint`);
}

export async function deleteFinishedJobs(db: Queryable, before: Date): Promise<void> {
  await db.query(sql`
    delete from jobs where finished_at < ${before}
      and not exists (select 1 from vms where vms.last_job_id = jobs.id and vms.deleted_at is null)`);
}
