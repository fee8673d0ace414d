import { type Database, empty, execute, join, type Queryable, type Sql, sql } from '../database.ts';
import type { JobRow } from './jobs.ts';
import type { VmRow } from './vms.ts';

/** A job as its owner knows it. Every statement below holds only for the owner whose claim was the latest. */
export interface Ownership {
  id: string;
  /** The node. */
  owner: bigint;
  /** Raised by each claim, so that a node which has lost a job cannot write to it, even where it has claimed it again. */
  epoch: number;
}

/** Whose jobs get their turn next. */
export interface Turn {
  byService: boolean;
  /** The account that had the last turn: the one after it is next, so that accounts take turns. */
  after: string;
  /** Accounts that have as many jobs under way as they may. */
  except: readonly string[];
}

/** A job that may be claimed. */
export interface NextJob {
  id: string;
  account_id: string;
  by_service: boolean;
  /** How often it was claimed. */
  epoch: number;
}

/**
 * The oldest job, that may run, of the next account, of the first of these turns that has one, among the VMs that
 * `engine` drives, on hosts that can be reached (a move concerns two); and another one, where there is any, whose turn it need not be. Not one of `claiming`, which this node is at, nor one that waits for its next attempt, nor one whose VM
 * has another job that a node has not released: see {@link claimJob}. One statement for all turns: it is asked before each
 * job.
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
 * Takes a job for this node, with its VM, unless it is finished, has an owner, or another job of the same VM
 * is still being run: a cancelled job keeps its owner until its step has ended, so two never touch one guest.
 */
export async function claimJob(
  db: Database,
  id: string,
  owner: bigint,
  at: Date,
): Promise<{ job: JobRow; vm: VmRow } | undefined> {
  const [vms, jobs] = await db.batch([
    sql`select * from vms where id = (select vm_id from jobs where id = ${id}) for no key update`,
    // A statement of its own, so that it sees what the last holder of the VM's lock has claimed.
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

/** Whether a job is still this owner's and not cancelled, and which session of the database was asked. */
export async function confirmJob(
  session: Queryable,
  job: Ownership,
): Promise<{ held: boolean; backend: number }> {
  const [row] = await session.query<{ held: boolean; backend: number }>(sql`
    select pg_backend_pid() as backend,
      exists (select 1 from jobs where ${isOwned(job)} and status = 'running') as held`);
  return row!;
}

/** Records progress, and resets the count of failures. False when the job is no longer ours. */
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

/** Ends a job that is ours and wipes its input, which may hold an encrypted secret. */
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
 * Gives up the ownership of a job, whatever became of it, so that the VM's next job may run. `retry` counts a failed
 * attempt and says when the next one is.
 */
export async function releaseJob(db: Queryable, job: Ownership, retry?: Retry): Promise<void> {
  const later = retry ? sql`, attempts = ${retry.attempts}, next_attempt_at = ${retry.at}` : empty;
  await execute(db, sql`update jobs set owner = null ${later} where ${isOwned(job)}`);
}

/** After which failure, and when, a job is tried again. */
export interface Retry {
  attempts: number;
  at: Date;
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
  await execute(db, sql`update jobs set owner = null where owner = ${owner}::bigint`);
}

async function changed(db: Queryable, statement: Sql): Promise<boolean> {
  return (await db.query(statement)).length > 0;
}
