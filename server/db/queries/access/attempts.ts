import { execute, one, type Queryable, sql } from '../../database.ts';
import { deleteSome } from '../service/purge.ts';

/** Number of attempts in the current window, and when the window ends. */
export interface AttemptsRow {
  used: number;
  ends_at: Date;
}

/** Counts an attempt in the current window, or in a new one until `endsAt`; all nodes share the count. */
export function countAttempt(
  db: Queryable,
  bucket: string,
  { now, endsAt }: { now: Date; endsAt: Date },
): Promise<AttemptsRow> {
  return one<AttemptsRow>(
    db,
    sql`insert into attempts (bucket, used, ends_at) values (${bucket}, 1, ${endsAt})
        on conflict (bucket) do update set
          used = case when attempts.ends_at <= ${now} then 1 else attempts.used + 1 end,
          ends_at = case when attempts.ends_at <= ${now} then excluded.ends_at else attempts.ends_at end
        returning used, ends_at`,
  );
}

/** Subtracts one attempt from the current window. */
export async function returnAttempt(db: Queryable, bucket: string, now: Date): Promise<void> {
  await execute(
    db,
    sql`update attempts set used = used - 1 where bucket = ${bucket} and used > 0 and ends_at > ${now}`,
  );
}

export async function forgetAttempts(db: Queryable, bucket: string): Promise<void> {
  await execute(db, sql`delete from attempts where bucket = ${bucket}`);
}

export function deleteAttemptsBefore(db: Queryable, now: Date, limit: number): Promise<number> {
  return deleteSome(db, { table: sql`attempts`, where: sql`ends_at < ${now}`, order: sql`ends_at` }, limit);
}
