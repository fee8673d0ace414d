import { execute, maybeOne, one, type Queryable, sql } from '../../database.ts';
import { deleteSome } from '../service/purge.ts';

export type ApprovalMode = 'dangerous' | 'all' | 'never';
export type RunState = 'running' | 'awaiting_approval' | 'finished';
export type FinalReason = 'completed' | 'max_steps' | 'canceled' | 'timeout' | 'error';

/** A command waiting for the customer's approval. The approval covers exactly this text. */
export interface PendingApproval {
  id: string;
  command_id: string;
  command: string;
  reason: string;
  risk: 'safe' | 'caution' | 'dangerous';
  /** ISO 8601. */
  expires_at: string;
}

export interface AgentRunRow {
  id: string;
  account_id: string;
  vm_id: string;
  session_id: string;
  /** The key or person that started the run, or that approved last. */
  principal_id: string;
  state: RunState;
  stop_reason: FinalReason | null;
  approval_mode: ApprovalMode;
  max_steps: number;
  /** Commands proposed so far. */
  steps: number;
  /** Number of the last event sent. */
  event_seq: number;
  input_tokens: bigint | null;
  output_tokens: bigint | null;
  approval: PendingApproval | null;
  /** The node that runs it. */
  owner: bigint | null;
  started_at: Date;
  finished_at: Date | null;
}

export type NewRun = Pick<
  AgentRunRow,
  'id' | 'account_id' | 'vm_id' | 'session_id' | 'principal_id' | 'approval_mode' | 'max_steps' | 'started_at'
>;

export function insertAgentRun(db: Queryable, run: NewRun, owner: bigint): Promise<AgentRunRow> {
  return one<AgentRunRow>(
    db,
    sql`
    insert into agent_runs (id, account_id, vm_id, session_id, principal_id, state, approval_mode, max_steps, owner, started_at)
    values (${run.id}, ${run.account_id}, ${run.vm_id}, ${run.session_id}, ${run.principal_id}, 'running',
      ${run.approval_mode}, ${run.max_steps}, ${owner}::bigint, ${run.started_at}) returning *`,
  );
}

/** Returns a VM's unfinished run; there is at most one. */
export function findOpenRun(db: Queryable, vmId: string): Promise<AgentRunRow | undefined> {
  return maybeOne<AgentRunRow>(
    db,
    sql`select * from agent_runs where vm_id = ${vmId} and state <> 'finished'`,
  );
}

/** Totals that a run has used so far. */
export interface RunProgress {
  steps: number;
  event_seq: number;
  input_tokens: number | null;
  output_tokens: number | null;
}

/** Finishes a run. Returns false, and changes nothing, if the run was already over or belongs to another node. */
export async function finishAgentRun(
  db: Queryable,
  run: Pick<AgentRunRow, 'id' | 'owner'>,
  reason: FinalReason,
  progress: RunProgress,
  at: Date,
): Promise<boolean> {
  const rows = await db.query(sql`
    update agent_runs set state = 'finished', stop_reason = ${reason}, owner = null, approval = null, finished_at = ${at},
      steps = ${progress.steps}, event_seq = ${progress.event_seq}, input_tokens = ${progress.input_tokens}::bigint,
      output_tokens = ${progress.output_tokens}::bigint
    where id = ${run.id} and owner = ${run.owner}::bigint and state = 'running' returning id`);
  return rows.length > 0;
}

/** Finishes a run whose outcome is unknown because its node is gone, or whose approval expired undecided. */
export async function abandonAgentRun(
  db: Queryable,
  id: string,
  reason: 'error' | 'canceled',
  at: Date,
): Promise<void> {
  await execute(
    db,
    sql`
    update agent_runs set state = 'finished', stop_reason = ${reason}, owner = null, approval = null, finished_at = ${at}
    where id = ${id} and state <> 'finished'`,
  );
}

/** Suspends a run until the customer decides. Returns false if the run no longer belongs to this node. */
export async function suspendAgentRun(
  db: Queryable,
  run: Pick<AgentRunRow, 'id' | 'owner'>,
  approval: PendingApproval,
  progress: RunProgress,
): Promise<boolean> {
  const rows = await db.query(sql`
    update agent_runs set state = 'awaiting_approval', owner = null, approval = ${JSON.stringify(approval)}::text::jsonb,
      steps = ${progress.steps}, event_seq = ${progress.event_seq}, input_tokens = ${progress.input_tokens}::bigint,
      output_tokens = ${progress.output_tokens}::bigint
    where id = ${run.id} and owner = ${run.owner}::bigint and state = 'running' returning id`);
  return rows.length > 0;
}

/** Resumes a run that the customer has decided on. Undefined if that approval is no longer pending. */
export function resumeAgentRun(
  db: Queryable,
  run: Pick<AgentRunRow, 'id' | 'principal_id'>,
  approvalId: string,
  owner: bigint,
): Promise<AgentRunRow | undefined> {
  return maybeOne<AgentRunRow>(
    db,
    sql`
    update agent_runs set state = 'running', owner = ${owner}::bigint, approval = null, principal_id = ${run.principal_id}
    where id = ${run.id} and state = 'awaiting_approval' and approval->>'id' = ${approvalId} returning *`,
  );
}

/** Returns runs that are marked as running on some node, and those whose approval has expired by `now`. */
export function looseAgentRuns(db: Queryable, now: Date): Promise<AgentRunRow[]> {
  return db.query<AgentRunRow>(sql`
    select * from agent_runs where state = 'running'
      or (state = 'awaiting_approval' and (approval->>'expires_at')::timestamptz <= ${now})`);
}

export function deleteAgentRunsBefore(db: Queryable, before: Date, limit: number): Promise<number> {
  const where = sql`state = 'finished' and finished_at < ${before}`;
  return deleteSome(db, { table: sql`agent_runs`, where, order: sql`finished_at` }, limit);
}
