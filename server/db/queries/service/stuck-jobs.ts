import { maybeOne, one, type Queryable, type Sql, sql } from '../../database.ts';
import { type Page, pageOf } from '../page.ts';
import type { JobRow } from './jobs.ts';

/** The jobs that an operator can list: those that keep failing, all unfinished ones, or those that were abandoned. */
export const JOB_STATES = ['stuck', 'active', 'abandoned'] as const;
export type JobState = (typeof JOB_STATES)[number];

const isActive = sql`status in ('pending', 'running')`;
const IN_STATE: Record<JobState, Sql> = {
  stuck: sql`attempts > 0 and ${isActive}`,
  active: isActive,
  abandoned: sql`abandoned`,
};

/** Returns the jobs of all accounts, newest first: for the operator, never for a customer's request. */
export function systemListJobs(db: Queryable, state: JobState, page: Page): Promise<JobRow[]> {
  return db.query<JobRow>(sql`select * from jobs where ${IN_STATE[state]} ${pageOf(sql`id`, page)}`);
}

/** Returns any account's job: for the operator, never for a customer's request. */
export function systemFindJob(db: Queryable, id: string): Promise<JobRow | undefined> {
  return maybeOne<JobRow>(db, sql`select * from jobs where id = ${id}`);
}

export async function countStuckJobs(db: Queryable): Promise<number> {
  const { count } = await one<{ count: bigint }>(
    db,
    sql`select count(*)::bigint as count from jobs where ${IN_STATE.stuck}`,
  );
  return Number(count);
}

/** Makes a failing job due now, with its failure count reset. Undefined if it has finished. */
export function retryJob(db: Queryable, id: string): Promise<JobRow | undefined> {
  return maybeOne<JobRow>(
    db,
    sql`update jobs set attempts = 0, next_attempt_at = null where id = ${id} and ${isActive} returning *`,
  );
}

/**
 * Fails a job that could not be undone. A node working on it keeps ownership until it no longer touches the guest, as
 * with a cancelled job. Undefined if the job has finished.
 */
export function abandonJob(
  db: Queryable,
  id: string,
  error: { code: string; message: string },
  at: Date,
): Promise<JobRow | undefined> {
  return maybeOne<JobRow>(
    db,
    sql`update jobs set status = 'failed', abandoned = true, finished_at = ${at}, input = '{}',
          error_code = coalesce(error_code, ${error.code}), error_message = coalesce(error_message, ${error.message})
        where id = ${id} and ${isActive} returning *`,
  );
}
