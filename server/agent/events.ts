import type { ApprovalMode, FinalReason } from '../db/queries/vms/agent-runs.ts';
import type { Risk } from '../domain/agent/policy/judge.ts';
import type { ModelIdentity } from './model.ts';

/** A run's consumption so far; tokens are null if the model does not report them. */
export interface Usage {
  steps: number;
  input_tokens: number | null;
  output_tokens: number | null;
}

/** The fields of each event besides `type`, `seq`, `run_id`, `session_id` and `at`. */
export interface AgentEvents {
  'run.started': { model: ModelIdentity; approval_mode: ApprovalMode; max_steps: number; resumed: boolean };
  'message.delta': { message_id: string; text: string };
  'message.completed': { message_id: string; text: string };
  'command.proposed': { command_id: string; command: string; reason: string; risk: Risk };
  'approval.required': {
    approval_id: string;
    command_id: string;
    command: string;
    risk: Risk;
    expires_at: string;
  };
  'command.started': { command_id: string };
  'command.output': { command_id: string; stream: 'stdout' | 'stderr'; text: string; truncated: boolean };
  'command.completed': {
    command_id: string;
    exit_code: number | null;
    duration_ms: number;
    timed_out: boolean;
  };
  'command.denied': { command_id: string; by: 'customer' | 'policy'; reason: string };
  error: { code: string; message: string; retryable: boolean };
  'run.completed': { stop_reason: FinalReason | 'awaiting_approval'; usage: Usage };
}

export type AgentEventType = keyof AgentEvents;
