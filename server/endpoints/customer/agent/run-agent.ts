import { DEFAULT_STEPS, MAX_MESSAGE, MAX_STEPS } from '../../../agent/limits.ts';
import { type AgentStart, resumeRun, startRun } from '../../../agent/start-run.ts';
import { requireAllowed } from '../../../domain/vms/states.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Input, VmParams } from '../../../http/schemas.ts';
import { invalidField } from '../../../platform/errors.ts';
import { type Static, Type } from '../../../platform/schema.ts';
import { agentAnswers, requireAgent } from '../vms/agent-check.ts';
import { loadVmForChange } from '../vms/load-vm.ts';
import { AgentEventShape, ApprovalModeShape } from './event-shapes.ts';

const RunBody = Input(
  {
    message: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_MESSAGE,
        description: 'Your task for the agent; starts a run',
      }),
    ),
    approval_mode: Type.Optional(ApprovalModeShape),
    max_steps: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_STEPS,
        description: `Maximum number of commands that the run may propose; defaults to ${DEFAULT_STEPS}`,
      }),
    ),
    approval: Type.Optional(
      Input(
        {
          id: Type.String({ maxLength: 64, description: '`approval_id` of the event `approval.required`' }),
          decision: Enum(['approve', 'deny'], { $id: 'AgentDecision' }),
          reason: Type.Optional(
            Type.String({ maxLength: 500, description: 'Shown to the model if you deny' }),
          ),
        },
        {
          $id: 'AgentApproval',
          description: 'Your decision on a command that is waiting for approval; continues its run',
        },
      ),
    ),
  },
  { examples: [{ message: 'Why is the disk full?' }] },
);

/** Requires either a message, with the options of its run, or an approval, whose run keeps its options. */
function requireOneOf({ message, approval, approval_mode, max_steps }: Static<typeof RunBody>): void {
  if ((message === undefined) === (approval === undefined))
    throw invalidField('message', 'required', 'send either message or approval');
  if (approval && approval_mode !== undefined)
    throw invalidField('approval_mode', 'not_allowed', 'cannot change during a run');
  if (approval && max_steps !== undefined)
    throw invalidField('max_steps', 'not_allowed', 'cannot change during a run');
}

export const runAgent = endpoint({
  audience: 'customer',
  operation: 'runAgent',
  method: 'POST',
  path: '/v1/vm/{id}/ai-agent',
  scope: 'vm:console',
  tag: 'vm',
  summary: 'Run the AI SSH agent',
  description:
    'Returns a stream of server-sent events: `id` is the number of the event, `event` is its type, and `data` is one of the objects described here. ' +
    'The last event is always `run.completed`, once. A command that needs your word ends the stream with `approval.required` and `run.completed` (`awaiting_approval`); ' +
    'send `approval` within ten minutes to continue. Sending a new message instead discards the waiting command. ' +
    'If you disconnect, the running command finishes and no other starts. Comments (`: ping`) keep the connection open.',
  params: VmParams,
  body: RunBody,
  data: AgentEventShape,
  streams: true,
  errors: [
    'invalid_state',
    'vm_suspended',
    'guest_agent_unavailable',
    'agent_busy',
    'approval_not_pending',
    'agent_unavailable',
  ],
  example: {
    type: 'command.proposed',
    seq: 3,
    run_id: 'run_01ke1y5b2d4f6h8k0m2p4r6t8w',
    session_id: 'ars_01ke1y4a0c2e4g6j8m0q2s4v6x',
    at: '2026-01-05T10:00:00.000Z',
    command_id: 'cmd_01ke1y5c3e5g7j9m1q3s5v7x9z',
    command: 'df -hP',
    reason: 'Check how full the file systems are',
    risk: 'safe',
  },
  prepare: agentAnswers,
  load: loadVmForChange,
  async handle({ resource: vm, body, prepared, db, services, caller, now }) {
    requireOneOf(body);
    requireAllowed(vm, 'ssh');
    requireAgent(prepared);
    services.agent.requireRoom();
    const start: AgentStart = { db, agent: services.agent, clock: services.clock, caller, now };
    if (body.approval) return { stream: await resumeRun(start, vm, body.approval) };
    const { message, approval_mode: mode = 'dangerous', max_steps: maxSteps = DEFAULT_STEPS } = body;
    return { stream: await startRun(start, vm, { message: message!, mode, maxSteps }) };
  },
});
