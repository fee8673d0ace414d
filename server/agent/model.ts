/** The mind of the agent: given a conversation it says something, and may want to run a command. */

/** A command that the model wants to run. */
export interface ProposedCommand {
  command: string;
  /** Why, for the customer; may be empty. */
  reason: string;
}

export type Message =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string }
  /** A command of the model and what came of it: what it wrote, or why it was not run. */
  | { role: 'command'; id: string; command: string; exitCode: number | null; output: string; ran: boolean }
  /** A note of the service. */
  | { role: 'system'; text: string };

/** What the model made of a conversation. */
export interface Turn {
  /** At most one: several at once could not be judged by what the first one shows. */
  call: ProposedCommand | undefined;
  /** Why its call makes no sense; then there is no `call`. */
  invalidToolCall: string | undefined;
  /** Null where the model does not tell. */
  inputTokens: number | null;
  outputTokens: number | null;
}

export interface TurnRequest {
  /** Oldest first. */
  conversation: readonly Message[];
  /** Receives each piece of text as it comes; resolves when there is room for the next. */
  onText: (text: string) => Promise<void>;
  signal: AbortSignal;
}

export interface ModelIdentity {
  provider: 'runbook' | 'openai-compatible' | 'anthropic';
  /** Of the model, such as "llama3.3:70b"; for the built-in one it says what it is. */
  name: string;
}

export interface AgentModel {
  readonly identity: ModelIdentity;
  /** Throws {@link ModelError}, or the reason of `signal`. */
  turn(request: TurnRequest): Promise<Turn>;
}

/** The model did not answer. `message` is for the customer and holds nothing of what the provider said. */
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

/** The name says what it is, so that it is not taken for a language model. */
export const RUNBOOK: ModelIdentity = { provider: 'runbook', name: 'Built-in runbook (offline)' };
