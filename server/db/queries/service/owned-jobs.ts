import { type Database, empty, execute, join, type Queryable, type Sql, sql } from '../../database.ts';
import type { VmRow } from '../vms/vms.ts';
import type { JobRow } from './jobs.ts';

/** A node's ownership of a job. The statements below that take it only apply to the owner with the latest claim. */
export interface Ownership {
  id: string;
  /** Id of the node. */
  owner: bigint;
  /**
   * Incremented by each claim, so that a node that lost a job cannot write to it, even if it has claimed the job again.
   */
  epoch: number;
}

export interface Turn {
  byService: boolean;
  /** The account that had the last turn: the search starts behind it, so that accounts alternate. */
  after: string;
  /** Accounts that already have as many jobs running as allowed. */
  except: readonly string[];
}

export interface NextJob {
  id: string;
  account_id: string;
  by_service: boolean;
  /** The number of times the job has been claimed. */
  epoch: number;
}

/**
 * Returns the next job to claim, and one more candidate regardless of turn, if there is any. The next job is the oldest
 * of the next account, in the first of `turns` that has one.
 *
 * Only jobs of VMs that `engine` drives on reachable hosts qualify; a move concerns two hosts and is exempt from that.
 * Left out are the jobs in `claiming`, which this node is already claiming, those waiting for their next attempt, and
 * those whose VM has another job that a node has not released: see {@link claimJob}. One statement covers all turns,
 * because it runs before every job.
 */
export async function nextJobs(
  db: Queryable,
  turns: readonly Turn[],
  { engine, at, claiming }: { engine: string; at: Date; claiming: readonly string[] },
): Promise<[next?: NextJob, other?: NextJob]> {
  const waiting = ({ byService, except }: Turn, accounts: Sql) => sql`(
    select id, account_id, by_service, epoch from jobs
    where owner is null and status in ('pending', 'running') and by_service = ${byService}
      and (next_attempt_at is null or next_attempt_at <= ${at}) and account_id <> all(${except}::text[])
      and id <> all(${claiming}::text[])
      and not exists (select 1 from jobs other where other.vm_id = jobs.vm_id and other.owner is not null)
      and exists (select 1 from vms left join hosts on hosts.id = vms.host_id
        where vms.id = jobs.vm_id and vms.engine = ${engine} and (hosts.lost_at is null or jobs.kind = 'move')) ${accounts}
    order by account_id, id limit 2)`;
  const inOrder = turns.flatMap((turn) => [
    waiting(turn, sql`and account_id > ${turn.after}`),
    waiting(turn, empty),
  ]);
  const found = await db.query<NextJob>(sql`${join(inOrder, ' union all ')}`);
  const [next] = found;
  return [next, found.find(({ id }) => id !== next?.id)];
}

/**
 * Claims a job for this node and returns it with its VM. Undefined if the job is finished or owned, or if another job
 * of the same VM is still running. A cancelled job keeps its owner until its step has ended, so that two jobs never
 * touch one guest.
 */
export async function claimJob(
  db: Database,
  id: string,
  owner: bigint,
  at: Date,
): Promise<{ job: JobRow; vm: VmRow } | undefined> {
  const [vms, jobs] = await db.batch([
    sql`select * from vms where id = (select vm_id from jobs where id = ${id}) for no key update`,
    // A separate statement, so that it sees what the last holder of the VM's lock has claimed.
    sql`update jobs set owner = ${owner}::bigint, epoch = epoch + 1, status = 'running',
        started_at = coalesce(started_at, ${at})
      where id = ${id} and owner is null and status in ('pending', 'running')
        and not exists (select 1 from jobs other where other.vm_id = jobs.vm_id and other.owner is not null)
      returning *`,
  ]);
  const [vm] = vms as VmRow[];
  const [job] = jobs as JobRow[];
  return vm && job && { job, vm };
}

const isOwned = ({ id, owner, epoch }: Ownership) =>
  sql`id = ${id} and owner = ${owner}::bigint and epoch = ${epoch}`;

/** Returns whether a job still belongs to this owner and is not cancelled, and which database session answered. */
export async function confirmJob(
  session: Queryable,
  job: Ownership,
): Promise<{ held: boolean; backend: number }> {
  const [row] = await session.query<{ held: boolean; backend: number }>(sql`
    select pg_backend_pid() as backend,
      exists (select 1 from jobs where ${isOwned(job)} and status = 'running') as held`);
  return row!;
}

/** Records progress and resets the failure count. Returns false if the job is no longer ours. */
export function advanceJob(
  db: Queryable,
  job: Ownership,
  state: { step: number; undoing: boolean; progress: number; error?: { code: string; message: string } },
): Promise<boolean> {
  const error = state.error
    ? sql`, error_code = ${state.error.code}, error_message = ${state.error.message}`
    : empty;
  return changed(
    db,
    sql`update jobs set step = ${state.step}, undoing = ${state.undoing}, progress = ${state.progress}, attempts = 0,
          next_attempt_at = null ${error}
        where ${isOwned(job)} and status = 'running' returning id`,
  );
}

/** Finishes a job that is ours and erases its input, which may hold an encrypted secret. */
export function finishJob(
  db: Queryable,
  job: Ownership,
  status: 'succeeded' | 'failed',
  at: Date,
): Promise<boolean> {
  const progress = status === 'succeeded' ? sql`, progress = 100` : empty;
  return changed(
    db,
    sql`update jobs set status = ${status}, finished_at = ${at}, owner = null, input = '{}' ${progress}
        where ${isOwned(job)} and status = 'running' returning id`,
  );
}

/**
 * Releases a job in any state, so that the VM's next job may run. `retry` records a failed attempt and the time of the
 * next one.
 */
export async function releaseJob(db: Queryable, job: Ownership, retry?: Retry): Promise<void> {
  const later = retry ? sql`, attempts = ${retry.attempts}, next_attempt_at = ${retry.at}` : empty;
  await execute(db, sql`update jobs set owner = null ${later} where ${isOwned(job)}`);
}

/** The number of failed attempts, and when the job is tried again. */
export interface Retry {
  attempts: number;
  at: Date;
}

export async function jobOwners(db: Queryable): Promise<bigint[]> {
  const rows = await db.query<{ owner: bigint }>(
    sql`select distinct owner from jobs where owner is not null`,
  );
  return rows.map((row) => row.owner);
}

/** Frees the jobs of a node that is gone, for others to claim. */
export async function disownJobs(db: Queryable, owner: bigint): Promise<void> {
  await execute(db, sql`update jobs set owner = null where owner = ${owner}::bigint`);
}

async function changed(db: Queryable, statement: Sql): Promise<boolean> {
  return (await db.query(statement)).length > 0;
}
