import { empty, execute, maybeOne, type Queryable, sql } from '../../database.ts';
import type { JobKind } from '../../enums.ts';
import { type Page, pageOf } from '../page.ts';

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
  epoch: number;
  attempts: number;
  next_attempt_at: Date | null;
  by_service: boolean;
  abandoned: boolean;
  error_code: string | null;
  error_message: string | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

/** A job as JSON inside another row: its dates are strings. */
export type JsonJob = { [K in keyof JobRow]: JobRow[K] extends Date | null ? string | null : JobRow[K] };

const date = (text: string | null) => (text === null ? null : new Date(text));

export function reviveJob(job: JsonJob): JobRow {
  return {
    ...job,
    created_at: new Date(job.created_at as string),
    started_at: date(job.started_at),
    finished_at: date(job.finished_at),
    next_attempt_at: date(job.next_attempt_at),
  } as JobRow;
}

export type NewJob = Pick<
  JobRow,
  'id' | 'account_id' | 'vm_id' | 'kind' | 'input' | 'order_id' | 'by_service' | 'created_at'
>;

/** Initial values of a new job; the same as the columns' defaults. */
const UNTRIED = {
  status: 'pending',
  step: 0,
  undoing: false,
  progress: 0,
  owner: null,
  epoch: 0,
  attempts: 0,
  next_attempt_at: null,
  abandoned: false,
  error_code: null,
  error_message: null,
  started_at: null,
  finished_at: null,
} as const;

/** Inserts a pending job and returns it as stored. */
export async function insertJob(db: Queryable, job: NewJob): Promise<JobRow> {
  await execute(
    db,
    sql`
    insert into jobs (id, account_id, vm_id, kind, status, input, order_id, by_service, created_at)
    values (${job.id}, ${job.account_id}, ${job.vm_id}, ${job.kind}, ${UNTRIED.status}, ${JSON.stringify(job.input)}::text::jsonb,
      ${job.order_id}, ${job.by_service}, ${job.created_at})`,
  );
  return { ...UNTRIED, ...job };
}

export function listJobs(db: Queryable, vmId: string, activeOnly: boolean, page: Page): Promise<JobRow[]> {
  return db.query<JobRow>(sql`
    select * from jobs where vm_id = ${vmId} and (${!activeOnly} or status in ('pending', 'running'))
    ${pageOf(sql`id`, page)}`);
}

/** Returns whether the VM's last move to another host failed. Job ids are in order of creation. */
export async function hasMoveFailed(db: Queryable, vmId: string): Promise<boolean> {
  const last = await maybeOne<{ failed: boolean }>(
    db,
    sql`
    select status = 'failed' as failed from jobs where vm_id = ${vmId} and kind = 'move' order by id desc limit 1`,
  );
  return last?.failed ?? false;
}

/** Cancels an unfinished job. If it runs on a node, that node notices and releases it. */
export async function cancelJob(db: Queryable, id: string, at: Date): Promise<void> {
  await execute(
    db,
    sql`
    update jobs set status = 'canceled', finished_at = ${at}, input = '{}' where id = ${id} and status in ('pending', 'running')`,
  );
}

/** Position of a walk over the finished jobs. */
export interface JobPlace {
  finished_at: Date;
  id: string;
}

/**
 * Reads up to `limit` of the jobs that finished before `before`, oldest first, and deletes them, except for the last
 * job of each existing VM. Returns the position to continue from; undefined at the end. The limit counts jobs read, not
 * jobs deleted.
 */
export async function deleteFinishedJobs(
  db: Queryable,
  before: Date,
  after: JobPlace | undefined,
  limit: number,
): Promise<JobPlace | undefined> {
  const rest = after ? sql`and (finished_at, id) > (${after.finished_at}, ${after.id})` : empty;
  const row = await maybeOne<JobPlace & { looked: number }>(
    db,
    sql`
    with looked as (
      select id, vm_id, finished_at from jobs where finished_at < ${before} ${rest}
      order by finished_at, id limit ${limit}
    ), gone as (
      -- A scalar look-up by the VM's key: as a join it would read every VM there is.
      delete from jobs where id in (select id from looked where looked.id is distinct from (
        select last_job_id from vms where vms.id = looked.vm_id and vms.deleted_at is null))
    )
    select id, finished_at, (select count(*)::int from looked) as looked from looked
    order by finished_at desc, id desc limit 1`,
  );
  return row && row.looked === limit ? { finished_at: row.finished_at, id: row.id } : undefined;
}
