import { visible } from '../../../agent/visible.ts';
import { type AgentRunRow, findOpenRun, type PendingApproval } from '../../../db/queries/vms/agent-runs.ts';
import { type AgentEntryRow, findAgentSession, listEntries } from '../../../db/queries/vms/agent-sessions.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Id, Nullable, Shape, Timestamp, VmParams } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { loadVm } from '../vms/load-vm.ts';
import { ModelShape, RiskShape, SHOWN } from './event-shapes.ts';

const PendingApprovalShape = Shape(
  {
    id: Id('apr'),
    command_id: Id('cmd'),
    command: Type.String({ description: SHOWN }),
    reason: Type.String(),
    risk: RiskShape,
    expires_at: Timestamp(),
  },
  { $id: 'AgentPendingApproval' },
);

const EntryShape = Shape(
  {
    seq: Type.Integer({ description: 'Number of the entry within the session' }),
    role: Enum(['user', 'assistant', 'command', 'system'], {
      $id: 'AgentRole',
      description: '`command` is a proposed command; `system` is a note by the service',
    }),
    content: Type.String({
      description:
        'The message, the output of a command (shortened in the middle), or the reason why it was not run',
    }),
    command: Nullable(Type.String()),
    exit_code: Nullable(Type.Integer()),
    created_at: Timestamp(),
  },
  { $id: 'AgentEntry' },
);

const presentEntry = ({ seq, role, content, command, exit_code, created_at }: AgentEntryRow) => ({
  seq,
  role,
  content: content ?? '',
  command: command === null ? null : visible(command),
  exit_code,
  created_at,
});

/** Presents a command that waits for approval in a form that a person can judge. */
const presentApproval = (approval: PendingApproval) => ({
  ...approval,
  command: visible(approval.command),
  reason: visible(approval.reason),
});

/** Returns the current run. A run whose approval has expired is over, even if it has not been reaped yet. */
function current(run: AgentRunRow | undefined, now: Date): AgentRunRow | undefined {
  const expired = run?.approval && Date.parse(run.approval.expires_at) <= now.getTime();
  return expired ? undefined : run;
}

export const getAgentStatus = endpoint({
  audience: 'customer',
  operation: 'getAgentStatus',
  method: 'GET',
  path: '/v1/vm/{id}/ai-agent/status',
  scope: 'vm:read',
  tag: 'vm',
  summary: 'Get status and history of the AI SSH agent',
  description:
    'Returns the history of the current session, oldest entry first. The last 120 entries are kept.',
  params: VmParams,
  data: Shape(
    {
      state: Enum(['idle', 'running', 'awaiting_approval'], { $id: 'AgentState' }),
      model: ModelShape,
      session_id: Nullable(Type.String({ description: 'Null before the first run' })),
      run_id: Nullable(Type.String({ description: 'The current run; null if there is none' })),
      pending_approval: Nullable(PendingApprovalShape),
      history: Type.Array(EntryShape),
    },
    { $id: 'AgentStatus' },
  ),
  errors: [],
  example: {
    state: 'idle',
    model: { provider: 'runbook', name: 'Built-in runbook (offline)' },
    session_id: 'ars_01ke1y4a0c2e4g6j8m0q2s4v6x',
    run_id: null,
    pending_approval: null,
    history: [
      {
        seq: 1,
        role: 'user',
        content: 'Why is the disk full?',
        command: null,
        exit_code: null,
        created_at: '2026-01-05T10:00:00.000Z',
      },
    ],
  },
  load: loadVm,
  async handle({ resource: vm, db, services, now }) {
    const run = current(await findOpenRun(db, vm.id), now);
    const session = await findAgentSession(db, vm.id);
    const entries = await listEntries(db, vm.id);
    return {
      data: {
        state: run?.state ?? 'idle',
        model: services.agent.identity,
        session_id: session?.id ?? null,
        run_id: run?.id ?? null,
        pending_approval: run?.approval ? presentApproval(run.approval) : null,
        history: entries.map(presentEntry),
      },
    };
  },
});
