import { execute, maybeOne, one, type Queryable, sql } from '../database.ts';
import { deleteSome } from './purge.ts';

export type ApprovalMode = 'dangerous' | 'all' | 'never';
export type RunState = 'running' | 'awaiting_approval' | 'finished';
export type FinalReason = 'completed' | 'max_steps' | 'canceled' | 'timeout' | 'error';

/** A command that waits for the customer's word. What is approved is this text, to the letter. */
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
  /** The key or the person that started it, or that approved last. */
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

/** The run of a VM that is not over, of which there is one at most. */
export function findOpenRun(db: Queryable, vmId: string): Promise<AgentRunRow | undefined> {
  return maybeOne<AgentRunRow>(
    db,
    sql`select * from agent_runs where vm_id = ${vmId} and state <> 'finished'`,
  );
}

/** What a run has used up. */
export interface RunProgress {
  steps: number;
  event_seq: number;
  input_tokens: number | null;
  output_tokens: number | null;
}

/** Ends a run. False, and nothing changed, where it was over or is another node's. */
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

/** Ends a run of which nothing more is known: its node is gone, or the approval came to no decision in time. */
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

/** Leaves a run waiting for the customer. False where it is no longer this node's. */
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

/** Takes a run up again with the customer's word. Undefined where that approval is not pending any more. */
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

/** Runs that some node is at, and those whose approval has expired by `now`. */
export function looseAgentRuns(db: Queryable, now: Date): Promise<AgentRunRow[]> {
  return db.query<AgentRunRow>(sql`
    select * from agent_runs where state = 'running'
      or (state = 'awaiting_approval' and (approval->>'expires_at')::timestamptz <= ${now})`);
}

export function deleteAgentRunsBefore(db: Queryable, before: Date, limit: number): Promise<number> {
  const where = sql`state = 'finished' and finished_at < ${before}`;
  return deleteSome(db, { table: sql`agent_runs`, where, order: sql`finished_at` }, limit);
}
