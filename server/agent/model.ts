/** The interface of the agent's model: given a conversation, it answers and may propose a command. */

export interface ProposedCommand {
  command: string;
  /** The reason, for the customer; may be empty. */
  reason: string;
}

export type Message =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string }
  /** A command of the model and its result: its output, or why it was not run. */
  | { role: 'command'; id: string; command: string; exitCode: number | null; output: string; ran: boolean }
  /** A note from the service. */
  | { role: 'system'; text: string };

/** The model's response to a conversation. */
export interface Turn {
  /** At most one command: a second one could not take the first one's output into account. */
  call: ProposedCommand | undefined;
  /** Why the model's call is invalid; in that case there is no `call`. */
  invalidToolCall: string | undefined;
  /** Null if the model does not report it. */
  inputTokens: number | null;
  outputTokens: number | null;
}

export interface TurnRequest {
  /** Oldest first. */
  conversation: readonly Message[];
  /** Receives each piece of text as it arrives; resolves when the next one may follow. */
  onText: (text: string) => Promise<void>;
  signal: AbortSignal;
}

export interface ModelIdentity {
  provider: 'runbook' | 'openai-compatible' | 'anthropic';
  /** The model's name, such as "llama3.3:70b"; for the built-in one, a description. */
  name: string;
}

export interface AgentModel {
  readonly identity: ModelIdentity;
  /** Throws {@link ModelError}, or the reason of `signal`. */
  turn(request: TurnRequest): Promise<Turn>;
}

/** The model did not answer. `message` is for the customer and contains nothing from the provider. */
export class ModelError extends Error {
  override name = 'ModelError';
  readonly code: 'model_unavailable' | 'model_rate_limited' | 'model_failed' | 'model_timeout';
  readonly retryable: boolean;

  constructor(code: ModelError['code'], message: string, retryable: boolean, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.retryable = retryable;
  }
}

/** The name is a description, so that no one mistakes the runbook for a language model. */
export const RUNBOOK: ModelIdentity = { provider: 'runbook', name: 'Built-in runbook (offline)' };
