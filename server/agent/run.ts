import type { Client } from 'ssh2';
import type { PendingApproval } from '../db/queries/vms/agent-runs.ts';
import { type Judgement, judgeCommand, MAX_COMMAND_LENGTH } from '../domain/agent/policy/judge.ts';
import { SshConnection } from '../guest-ssh/ssh-connection.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { AgentEventEmitter, type EventStream } from './event-stream.ts';
import type { Usage } from './events.ts';
import { runOnGuest } from './guest-command.ts';
import { APPROVAL_LIFETIME_MS, MAX_NONSENSE } from './limits.ts';
import { type AgentModel, type Message, ModelError, type ProposedCommand } from './model.ts';
import { ModelTurn } from './model-turn.ts';
import { NOT_RUN, type RunRecord } from './run-record.ts';
import { failed, Stop } from './stop.ts';
import { visible } from './visible.ts';

/** The customer's decision on a command that waited for approval. */
export interface ApprovalDecision {
  approval: PendingApproval;
  approved: boolean;
  reason: string | null;
}

export interface RunParts {
  clock: Clock;
  record: RunRecord;
  stream: EventStream;
  model: AgentModel;
  /** Logs in to the guest. */
  connect: (signal: AbortSignal) => Promise<Client>;
  /** Throws {@link Stop} if the run must not continue; called before each step. */
  check: () => Promise<void>;
  /** Aborts when no further step may begin; a running command continues. */
  halt: AbortSignal;
  /** Aborts when everything must end immediately. */
  kill: AbortSignal;
  /** Called with the risk and the outcome of each command. */
  counted: (risk: Judgement['risk'], outcome: 'ran' | 'timed_out' | 'denied') => void;
}

/** Ends the run's stream although the run is not over. */
class AwaitsApproval extends Error {}

/**
 * One run, from the customer's message or approval to its end:
 *
 *     thinking ──▸ proposed ──▸ running ──▸ thinking …      the policy lets it run
 *                     ├──▸ awaiting approval ──▸ (the stream ends; an approval begins another)
 *                     └──▸ denied ──▸ thinking …             approval is not asked for
 *     thinking ──▸ completed | max_steps          anything ──▸ canceled | timeout | error
 */
export class AgentRun {
  readonly #parts: RunParts;
  readonly #usage: Usage;
  readonly #emitter: AgentEventEmitter;
  readonly #guest: SshConnection;
  readonly #modelTurn: ModelTurn;
  #conversation: Message[] = [];
  #invalidToolCall = 0;

  constructor(parts: RunParts) {
    this.#parts = parts;
    const { run } = parts.record;
    this.#emitter = new AgentEventEmitter(parts.clock, parts.stream, run);
    this.#guest = new SshConnection(parts.connect, AbortSignal.any([parts.halt, parts.kill]));
    const count = (tokens: bigint | null) => (tokens === null ? null : Number(tokens));
    this.#usage = {
      steps: run.steps,
      input_tokens: count(run.input_tokens),
      output_tokens: count(run.output_tokens),
    };
    this.#modelTurn = new ModelTurn(parts, this.#emitter, this.#usage);
  }

  /** Runs to the end, which is recorded and sent before this resolves. Rejects only if the end cannot be recorded. */
  async execute(decision?: ApprovalDecision): Promise<Stop['reason'] | 'awaiting_approval'> {
    const { run } = this.#parts.record;
    this.#emitter.emit('run.started', {
      model: this.#parts.model.identity,
      approval_mode: run.approval_mode,
      max_steps: run.max_steps,
      resumed: decision !== undefined,
    });
    const stop = await this.#work(decision).catch((error) => this.#stopFor(error));
    this.#guest.close();
    const reason = stop instanceof Stop ? await this.#finish(stop) : 'awaiting_approval';
    this.#emitter.emit('run.completed', { stop_reason: reason, usage: this.#usage });
    this.#parts.stream.end();
    return reason;
  }

  async #work(decision: ApprovalDecision | undefined): Promise<Stop | AwaitsApproval> {
    const { record } = this.#parts;
    this.#conversation = await record.conversation();
    if (decision) await this.#settle(decision);
    for (;;) {
      await this.#mayGoOn();
      const { call, invalidToolCall } = await this.#modelTurn.run(this.#conversation);
      if (!call && !invalidToolCall) return new Stop('completed');
      if (this.#usage.steps >= record.run.max_steps) return new Stop('max_steps');
      this.#usage.steps += 1;
      if (call) await this.#propose(call);
      else await this.#explain(invalidToolCall!);
    }
  }

  /** Throws if the run must end, and waits for a client that reads slowly. */
  async #mayGoOn(): Promise<void> {
    const { halt, kill, check, stream } = this.#parts;
    await stream.drained(kill);
    halt.throwIfAborted();
    kill.throwIfAborted();
    await check();
    halt.throwIfAborted();
    kill.throwIfAborted();
  }

  /** Tells the model that its call is invalid; repeated invalid calls end the run. */
  async #explain(invalidToolCall: string): Promise<void> {
    this.#invalidToolCall += 1;
    if (this.#invalidToolCall >= MAX_NONSENSE)
      throw failed('model_failed', 'The model could not call its tool.', false);
    await this.#note(`The last tool call was not valid: ${invalidToolCall}.`);
  }

  async #note(text: string): Promise<void> {
    await this.#parts.record.add({ role: 'system', content: text });
    this.#conversation.push({ role: 'system', text });
  }

  async #propose(call: ProposedCommand): Promise<void> {
    const { record, clock, counted } = this.#parts;
    const command = call.command.trim();
    if (command === '' || command.length > MAX_COMMAND_LENGTH || /\0|\p{Surrogate}/u.test(command))
      return this.#explain(`a command has 1 to ${MAX_COMMAND_LENGTH} characters`);
    this.#invalidToolCall = 0;
    const reason = call.reason.replaceAll('\0', '').toWellFormed().slice(0, 500);
    const { risk, why } = judgeCommand(command);
    const command_id = newId('cmd', clock);
    this.#emitter.emit('command.proposed', {
      command_id,
      command: visible(command),
      reason: visible(reason),
      risk,
    });
    const mode = record.run.approval_mode;
    if (mode !== 'all' && risk !== 'dangerous') return this.#run(command_id, command, risk, null);
    if (mode === 'never') {
      counted(risk, 'denied');
      return this.#deny(command_id, command, 'policy', `the policy considers it dangerous: ${why}`);
    }
    return this.#ask({ id: newId('apr', clock), command_id, command, reason, risk, expires_at: '' });
  }

  /**
   * Suspends the run until the customer decides. Exactly this text will be run, and the customer is shown all of it.
   */
  async #ask(proposal: PendingApproval): Promise<never> {
    const { record, clock } = this.#parts;
    const expires = new Date(clock.now().getTime() + APPROVAL_LIFETIME_MS);
    const approval = { ...proposal, expires_at: expires.toISOString() };
    // Two more events will follow on this stream.
    const progress = { ...this.#usage, event_seq: this.#emitter.seq + 2 };
    await this.#mayGoOn();
    if (!(await record.suspend(approval, progress)))
      throw failed('interrupted', 'The run was stopped.', false);
    const { id: approval_id, command_id, risk, expires_at } = approval;
    const command = visible(approval.command);
    this.#emitter.emit('approval.required', { approval_id, command_id, command, risk, expires_at });
    throw new AwaitsApproval();
  }

  async #settle({ approval, approved, reason }: ApprovalDecision): Promise<void> {
    const { command_id, command, risk, id } = approval;
    if (approved) {
      await this.#mayGoOn();
      return this.#run(command_id, command, risk, id);
    }
    this.#parts.counted(risk, 'denied');
    return this.#deny(command_id, command, 'customer', reason ?? 'the customer did not approve it');
  }

  async #deny(command_id: string, command: string, by: 'customer' | 'policy', reason: string): Promise<void> {
    this.#emitter.emit('command.denied', { command_id, by, reason });
    const content = `${NOT_RUN}${by === 'customer' ? 'denied by the customer' : 'refused by the service'}: ${reason}`;
    await this.#parts.record.add({ role: 'command', content, command, command_id });
    this.#conversation.push({
      role: 'command',
      id: command_id,
      command,
      exitCode: null,
      output: content,
      ran: false,
    });
  }

  async #run(
    command_id: string,
    command: string,
    risk: Judgement['risk'],
    approvalId: string | null,
  ): Promise<void> {
    const { record, clock, kill, counted } = this.#parts;
    const client = await this.#guest.client();
    await this.#mayGoOn();
    const seq = await record.beginCommand(command_id, command, risk, approvalId);
    this.#emitter.emit('command.started', { command_id });
    const result = await runOnGuest(client, {
      command,
      clock,
      signal: kill,
      onOutput: (stream, text, truncated) =>
        this.#emitter.emit('command.output', { command_id, stream, text, truncated }),
    });
    counted(risk, result.timedOut ? 'timed_out' : 'ran');
    await record.completeCommand(seq, result);
    const { exitCode, durationMs, timedOut, output } = result;
    this.#emitter.emit('command.completed', {
      command_id,
      exit_code: exitCode,
      duration_ms: durationMs,
      timed_out: timedOut,
    });
    const shown = timedOut ? `${output}\n[stopped after its timeout]` : output;
    this.#conversation.push({ role: 'command', id: command_id, command, exitCode, output: shown, ran: true });
    // A command that timed out may still occupy the connection.
    if (timedOut) this.#guest.close();
  }

  /** Converts an error to the corresponding end. */
  #stopFor(error: unknown): Stop | AwaitsApproval {
    // Whatever else happens at that moment: the run waits, as the database says.
    if (error instanceof AwaitsApproval) return error;
    const { halt, kill } = this.#parts;
    for (const signal of [kill, halt])
      if (signal.aborted && signal.reason instanceof Stop) return signal.reason;
    if (error instanceof Stop) return error;
    if (error instanceof ModelError) return failed(error.code, error.message, error.retryable);
    return failed('guest_unreachable', 'The guest could not be reached, or closed the connection.', true);
  }

  /** Records the end before it is emitted: a client that has read the last event may start the next run. */
  async #finish(stop: Stop): Promise<Stop['reason']> {
    if (stop.failure) this.#emitter.emit('error', stop.failure);
    const progress = { ...this.#usage, event_seq: this.#emitter.seq + 1 };
    const { record } = this.#parts;
    if (stop.failure) await record.add({ role: 'system', content: stop.failure.message }).catch(() => {});
    await record.finish(stop.reason, progress);
    return stop.reason;
  }
}
