import { RISKS } from '../../../domain/agent/policy/risk.ts';
import { Count, Enum, Id, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { type TSchema, Type } from '../../../platform/schema.ts';

/** The events of a run's stream, as sent to clients. */

export const ModelShape = Shape(
  {
    provider: Enum(['runbook', 'openai-compatible', 'anthropic'], {
      $id: 'AgentProvider',
      description: '`runbook` is the built-in offline model: fixed recipes, no language model',
    }),
    name: Type.String({ description: 'Identifier of the model' }),
  },
  { $id: 'AgentModel', description: 'The model that the agent uses' },
);

export const RiskShape = Enum(RISKS, {
  $id: 'AgentRisk',
  description: 'Judged by the service, never by the model; unknown commands are `dangerous`',
});

export const ApprovalModeShape = Enum(['dangerous', 'all', 'never'], {
  $id: 'AgentApprovalMode',
  description:
    'The commands that require approval: dangerous ones (the default), all, or none. With `never`, dangerous commands are refused',
});

const UsageShape = Shape(
  {
    steps: Count('Commands proposed'),
    input_tokens: Nullable(Type.Integer({ description: 'Null if the model does not report it' })),
    output_tokens: Nullable(Type.Integer()),
  },
  { $id: 'AgentUsage' },
);

export const SHOWN = 'The command, with invisible characters written out, as in `⟦U+202E⟧`';

const CommandId = Id('cmd');

const FIELDS: Record<string, Record<string, TSchema>> = {
  'run.started': {
    model: ModelShape,
    approval_mode: ApprovalModeShape,
    max_steps: Type.Integer(),
    resumed: Type.Boolean({ description: 'The run continues after an approval, and so does `seq`' }),
  },
  'message.delta': {
    message_id: Id('msg'),
    text: Type.String({ description: "A piece of the agent's message" }),
  },
  'message.completed': { message_id: Id('msg'), text: Type.String({ description: 'The complete message' }) },
  'command.proposed': {
    command_id: CommandId,
    command: Type.String({ description: SHOWN }),
    reason: Type.String({ description: 'The reason, in the words of the model' }),
    risk: RiskShape,
  },
  'approval.required': {
    approval_id: Id('apr'),
    command_id: CommandId,
    command: Type.String({
      description:
        'The command that will run if approved, with invisible characters written out, as in `⟦U+202E⟧`',
    }),
    risk: RiskShape,
    expires_at: Timestamp(),
  },
  'command.started': { command_id: CommandId },
  'command.output': {
    command_id: CommandId,
    stream: Enum(['stdout', 'stderr'], { $id: 'AgentOutputStream' }),
    text: Type.String({ description: 'Written by programs on the VM; untrusted' }),
    truncated: Type.Boolean({ description: 'True if output beyond 64 KiB was left out' }),
  },
  'command.completed': {
    command_id: CommandId,
    exit_code: Nullable(Type.Integer({ description: 'Null if a signal or the timeout ended the command' })),
    duration_ms: Count('Milliseconds'),
    timed_out: Type.Boolean({ description: 'Stopped after two minutes' }),
  },
  'command.denied': {
    command_id: CommandId,
    by: Enum(['customer', 'policy'], { $id: 'AgentDenier' }),
    reason: Type.String(),
  },
  error: {
    code: Type.String({
      description:
        'Such as `model_unavailable`, `model_rate_limited`, `model_timeout`, `model_failed`, `guest_unreachable`, `vm_not_running`, `key_revoked`, `run_timeout`, `service_stopping`',
    }),
    message: Type.String(),
    retryable: Type.Boolean({ description: 'True if sending the message again may work' }),
  },
  'run.completed': {
    stop_reason: Enum(['completed', 'awaiting_approval', 'max_steps', 'canceled', 'timeout', 'error'], {
      $id: 'AgentStopReason',
    }),
    usage: UsageShape,
  },
};

/** "run.started" becomes `AgentRunStarted`. */
const nameOf = (type: string) =>
  `Agent${type.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}${type === 'error' ? 'Event' : ''}`;

/** The `data` of one event; its `type` decides which fields it has. */
export const AgentEventShape = Type.Union(
  Object.entries(FIELDS).map(([type, fields]) =>
    Shape(
      {
        type: Type.Literal(type),
        seq: Type.Integer({ minimum: 1, description: 'Number of the event within the run, also its `id`' }),
        run_id: Id('run'),
        session_id: Id('ars'),
        at: Timestamp(),
        ...fields,
      },
      { $id: nameOf(type), description: `Event \`${type}\`` },
    ),
  ),
  {
    $id: 'AgentEvent',
    description: 'An event of a run; `type` says which',
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(
        Object.keys(FIELDS).map((type) => [type, `#/components/schemas/${nameOf(type)}`]),
      ),
    },
  },
);
