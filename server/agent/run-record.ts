import type { Caller } from '../access/principal.ts';
import type { Database } from '../db/database.ts';
import {
  type AgentRunRow,
  type FinalReason,
  finishAgentRun,
  type PendingApproval,
  type RunProgress,
  suspendAgentRun,
} from '../db/queries/vms/agent-runs.ts';
import {
  type AgentEntryRow,
  appendEntry,
  completeEntry,
  listEntries,
  type NewEntry,
} from '../db/queries/vms/agent-sessions.ts';
import { recordCallerEvent } from '../domain/vms/events.ts';
import type { Clock } from '../platform/clock.ts';
import { redactText } from '../platform/redaction.ts';
import type { CommandResult } from './guest-command.ts';
import { CONTEXT_CHARACTERS } from './limits.ts';
import type { Message } from './model.ts';
import { visible } from './visible.ts';

/** The caller responsible for what a run does: the one who started it or last approved a command. */
export type RunActor = Caller;

/** Attempts to record the end of a run while the database is unavailable, and the delay between them. */
const END_ATTEMPTS = 30;
const END_RETRY_MS = 1_000;
/** Maximum length of a command in the event log; the history contains all of it. */
const EVENT_COMMAND = 300;

/** A run's record in the database: its state, its conversation, and the VM's event log. */
export class RunRecord {
  readonly run: AgentRunRow;
  readonly actor: RunActor;
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(db: Database, clock: Clock, run: AgentRunRow, actor: RunActor) {
    this.#db = db;
    this.#clock = clock;
    this.run = run;
    this.actor = actor;
  }

  add(entry: Omit<NewEntry, 'run_id'>): Promise<AgentEntryRow | undefined> {
    return appendEntry(this.#db, this.run.vm_id, { ...entry, run_id: this.run.id }, this.#clock.now());
  }

  /** Records a command before it runs: if the service dies in the meantime, it is known that the command ran. */
  async beginCommand(
    commandId: string,
    command: string,
    risk: string,
    approvalId: string | null,
  ): Promise<number> {
    const { vm_id, id } = this.run;
    return this.#db.transaction(async (tx) => {
      const entry = await appendEntry(
        tx,
        vm_id,
        { role: 'command', content: null, command, command_id: commandId, run_id: id },
        this.#clock.now(),
      );
      await recordCallerEvent(tx, this.#clock, this.actor, vm_id, {
        type: 'agent.command_started',
        message: 'The AI agent ran a command.',
        metadata: {
          run_id: id,
          command_id: commandId,
          command: visible(redactText(command).slice(0, EVENT_COMMAND).toWellFormed()),
          risk,
          approval_id: approvalId,
        },
      });
      return entry?.seq ?? 0;
    });
  }

  completeCommand(seq: number, { exitCode, timedOut, output }: CommandResult): Promise<void> {
    const content = timedOut ? `${output}\n[stopped after its timeout]` : output;
    return completeEntry(this.#db, this.run.vm_id, seq, content, exitCode);
  }

  /** Returns the newest part of the conversation that fits, starting with a message of the customer. */
  async conversation(): Promise<Message[]> {
    const entries = await listEntries(this.#db, this.run.vm_id);
    let room = CONTEXT_CHARACTERS;
    const fitting: AgentEntryRow[] = [];
    for (const entry of entries.toReversed()) {
      room -= (entry.content?.length ?? 0) + (entry.command?.length ?? 0);
      if (room < 0) break;
      fitting.unshift(entry);
    }
    const start = fitting.findIndex(({ role }) => role === 'user');
    return (start < 0 ? fitting : fitting.slice(start)).map(toSaid);
  }

  /** Returns false if the run no longer belongs to this node. */
  suspend(approval: PendingApproval, progress: RunProgress): Promise<boolean> {
    return suspendAgentRun(this.#db, this.run, approval, progress);
  }

  /**
   * Retries, because a run that its node leaves as running would keep the VM's agent busy as long as the node lives.
   */
  async finish(reason: FinalReason, progress: RunProgress): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await finishAgentRun(this.#db, this.run, reason, progress, this.#clock.now());
        return;
      } catch (error) {
        if (attempt === END_ATTEMPTS) throw error;
        await this.#clock.sleep(END_RETRY_MS);
      }
    }
  }
}

/** Prefix of the entry for a command that was not run; such a command has no exit status. */
export const NOT_RUN = 'Not run: ';

function toSaid({ role, content, command, command_id, exit_code }: AgentEntryRow): Message {
  const text = content ?? '';
  if (role !== 'command') return { role, text };
  const ran = exit_code !== null || !text.startsWith(NOT_RUN);
  return { role, id: command_id ?? '', command: command ?? '', exitCode: exit_code, output: text, ran };
}
