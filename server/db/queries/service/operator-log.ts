import { execute, type Queryable, sql } from '../../database.ts';
import { type Page, pageOf } from '../page.ts';

export interface OperatorRequest {
  id: string;
  uid: number | null;
  pid: number | null;
  user_name: string | null;
  login_name: string | null;
  /** Email and IP address of an operator signed in to the panel; such a request comes from no local process. */
  email: string | null;
  ip: string | null;
  /** Method and path, such as "POST /accounts/acc_…/credits". */
  request: string;
  input: Record<string, unknown>;
  created_at: Date;
}

/** The request with its HTTP status; null if the service stopped before it was done. */
export interface OperatorLogRow extends OperatorRequest {
  status: number | null;
}

export async function insertRequest(db: Queryable, row: OperatorRequest): Promise<void> {
  await execute(
    db,
    sql`
    insert into operator_log (id, uid, pid, user_name, login_name, email, ip, request, input, created_at)
    values (${row.id}, ${row.uid}, ${row.pid}, ${row.user_name}, ${row.login_name}, ${row.email},
      ${row.ip}, ${row.request}, ${JSON.stringify(row.input)}::text::jsonb, ${row.created_at})`,
  );
}

export async function insertOutcome(db: Queryable, logId: string, status: number, at: Date): Promise<void> {
  await execute(
    db,
    sql`insert into operator_outcomes (log_id, status, created_at) values (${logId}, ${status}, ${at})`,
  );
}

/** Lists requests, newest first. */
export function listOperatorLog(db: Queryable, page: Page): Promise<OperatorLogRow[]> {
  return db.query<OperatorLogRow>(sql`
    select operator_log.id, uid::float8 as uid, pid, user_name, login_name, email, ip, request, input,
      operator_log.created_at, status
    from operator_log left join operator_outcomes on log_id = operator_log.id
    where true ${pageOf(sql`operator_log.id`, page)}`);
}
