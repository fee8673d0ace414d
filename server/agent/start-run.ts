import type { Readable } from 'node:stream';
import type { Transaction } from '../db/database.ts';
import {
  type AgentRunRow,
  type ApprovalMode,
  abandonAgentRun,
  findOpenRun,
  insertAgentRun,
  resumeAgentRun,
} from '../db/queries/vms/agent-runs.ts';
import { appendEntry, ensureAgentSession, replaceAgentSession } from '../db/queries/vms/agent-sessions.ts';
import type { VmRow } from '../db/queries/vms/vms.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { AgentRuns } from './agent-runs.ts';
import { NOT_RUN, type RunActor } from './run-record.ts';

/** Input of the functions below, which run in the request's transaction with the VM locked. */
export interface AgentStart {
  db: Transaction;
  agent: AgentRuns;
  clock: Clock;
  caller: RunActor;
  now: Date;
}

export interface RunRequest {
  message: string;
  mode: ApprovalMode;
  maxSteps: number;
}

/** Starts the run. Call it after the transaction has committed. */
type Begin = () => Readable;

function busy(run: AgentRunRow): ApiError {
  return new ApiError(
    'agent_busy',
    'The agent is already running on this VM. Only one run at a time is possible.',
    {
      run_id: run.id,
    },
  );
}

/** Starts a run, unless one is working. A run that waits for approval is ended: the customer wants something else. */
export async function startRun(start: AgentStart, vm: VmRow, request: RunRequest): Promise<Begin> {
  const { db, agent, clock, caller, now } = start;
  await endWaitingRun(start, vm, 'the customer sent a new message instead');
  const session = await ensureAgentSession(db, {
    vm_id: vm.id,
    account_id: vm.account_id,
    id: newId('ars', clock),
    started_at: now,
  });
  const run = await insertAgentRun(
    db,
    {
      id: newId('run', clock),
      account_id: vm.account_id,
      vm_id: vm.id,
      session_id: session.id,
      principal_id: caller.principal.id,
      approval_mode: request.mode,
      max_steps: request.maxSteps,
      started_at: now,
    },
    agent.node,
  );
  await appendEntry(db, vm.id, { role: 'user', content: request.message, run_id: run.id }, now);
  return () => agent.begin(run, vm, caller);
}

/** Resumes the run whose command waits for this approval. An approval can be used once, until it expires. */
export async function resumeRun(
  { db, agent, caller, now }: AgentStart,
  vm: VmRow,
  { id, decision, reason }: { id: string; decision: 'approve' | 'deny'; reason?: string },
): Promise<Begin> {
  const waiting = await findOpenRun(db, vm.id);
  const approval = waiting?.approval;
  const run =
    waiting && approval && approval.id === id && Date.parse(approval.expires_at) > now.getTime()
      ? await resumeAgentRun(db, { id: waiting.id, principal_id: caller.principal.id }, id, agent.node)
      : undefined;
  if (!run || !approval)
    throw new ApiError(
      'approval_not_pending',
      'No command is waiting for this approval: it was already given or has expired.',
    );
  const taken = { approval, approved: decision === 'approve', reason: reason ?? null };
  return () => agent.begin(run, vm, caller, taken);
}

/** Starts a new conversation, unless a run is working. */
export async function clearSession(start: Omit<AgentStart, 'agent'>, vm: VmRow) {
  await endWaitingRun(start, vm, 'the conversation was cleared');
  const session = {
    vm_id: vm.id,
    account_id: vm.account_id,
    id: newId('ars', start.clock),
    started_at: start.now,
  };
  await replaceAgentSession(start.db, session);
  return session;
}

async function endWaitingRun({ db, now }: Omit<AgentStart, 'agent'>, vm: VmRow, why: string): Promise<void> {
  const open = await findOpenRun(db, vm.id);
  if (!open) return;
  if (!open.approval) throw busy(open);
  const { command, command_id } = open.approval;
  const content = `${NOT_RUN}${why}`;
  await abandonAgentRun(db, open.id, 'canceled', now);
  await appendEntry(db, vm.id, { role: 'command', content, command, command_id, run_id: open.id }, now);
}
