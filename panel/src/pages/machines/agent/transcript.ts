import type { AgentEvent } from './stream.ts';

export type Risk = 'safe' | 'caution' | 'dangerous';

export interface CommandEntry {
  kind: 'command';
  id: string;
  command: string;
  reason: string;
  risk: Risk | null;
  state: 'proposed' | 'awaiting' | 'running' | 'done' | 'denied';
  output: string;
  truncated: boolean;
  exitCode: number | null;
  deniedBy: string | null;
}

export type Entry =
  | { kind: 'user'; id: string; text: string }
  | { kind: 'message'; id: string; text: string; complete: boolean }
  | { kind: 'error'; id: string; text: string; retryable: boolean }
  | { kind: 'note'; id: string; text: string }
  | CommandEntry;

export interface Approval {
  id: string;
  commandId: string;
  command: string;
  risk: Risk;
  expiresAt: string;
}

export interface Transcript {
  entries: readonly Entry[];
  approval: Approval | null;
  /** Why the run ended; null while it runs. */
  stopReason: string | null;
  /** The number of the last event, to recognize repeated ones. */
  seq: number;
}

export const EMPTY: Transcript = { entries: [], approval: null, stopReason: null, seq: 0 };

interface HistoryEntry {
  seq: number;
  role: 'user' | 'assistant' | 'command' | 'system';
  content: string;
  command: string | null;
  exit_code: number | null;
}

export function fromHistory(history: readonly HistoryEntry[]): Entry[] {
  return history.map((entry): Entry => {
    const id = `kept-${entry.seq}`;
    if (entry.role === 'user') return { kind: 'user', id, text: entry.content };
    if (entry.role === 'assistant') return { kind: 'message', id, text: entry.content, complete: true };
    if (entry.role === 'system') return { kind: 'note', id, text: entry.content };
    const command = { ...NEW_COMMAND, id, command: entry.command ?? '', output: entry.content };
    return { ...command, state: 'done', exitCode: entry.exit_code };
  });
}

const NEW_COMMAND: CommandEntry = {
  kind: 'command',
  id: '',
  command: '',
  reason: '',
  risk: null,
  state: 'proposed',
  output: '',
  truncated: false,
  exitCode: null,
  deniedBy: null,
};

/** Returns the transcript after one more event. */
export function follow(before: Transcript, event: AgentEvent): Transcript {
  if (event.seq <= before.seq && event.type !== 'run.started') return before;
  const next = { ...before, seq: event.seq };
  const text = (field: string) => String(event[field] ?? '');
  const command = (change: (entry: CommandEntry) => Partial<CommandEntry>) => ({
    ...next,
    entries: next.entries.map((entry) =>
      entry.kind === 'command' && entry.id === event.command_id ? { ...entry, ...change(entry) } : entry,
    ),
  });
  switch (event.type) {
    case 'run.started':
      return { ...next, approval: null, stopReason: null };
    case 'message.delta':
      return withMessage(next, text('message_id'), (old) => old + text('text'), false);
    case 'message.completed':
      return withMessage(next, text('message_id'), () => text('text'), true);
    case 'command.proposed': {
      const proposed = { ...NEW_COMMAND, id: text('command_id'), command: text('command') };
      const entry = { ...proposed, reason: text('reason'), risk: event.risk as Risk };
      return { ...next, entries: [...next.entries.filter(({ id }) => id !== entry.id), entry] };
    }
    case 'approval.required':
      return { ...command(() => ({ state: 'awaiting' })), approval: approvalOf(event) };
    case 'command.started':
      return { ...command(() => ({ state: 'running' })), approval: null };
    case 'command.output':
      return command((entry) => ({
        output: entry.output + text('text'),
        truncated: entry.truncated || event.truncated === true,
      }));
    case 'command.completed':
      return command(() => ({ state: 'done', exitCode: (event.exit_code as number | null) ?? null }));
    case 'command.denied':
      return { ...command(() => ({ state: 'denied', deniedBy: text('by') })), approval: null };
    case 'error':
      return {
        ...next,
        entries: [
          ...next.entries,
          {
            kind: 'error',
            id: `error-${event.run_id}-${event.seq}`,
            text: text('message'),
            retryable: event.retryable === true,
          },
        ],
      };
    case 'run.completed':
      return { ...next, stopReason: text('stop_reason') };
    default:
      return next;
  }
}

function approvalOf(event: AgentEvent): Approval {
  return {
    id: String(event.approval_id),
    commandId: String(event.command_id),
    command: String(event.command),
    risk: event.risk as Risk,
    expiresAt: String(event.expires_at),
  };
}

function withMessage(
  transcript: Transcript,
  id: string,
  change: (text: string) => string,
  complete: boolean,
): Transcript {
  const old = transcript.entries.find((entry) => entry.kind === 'message' && entry.id === id);
  const text = change(old?.kind === 'message' ? old.text : '');
  const entry: Entry = { kind: 'message', id, text, complete };
  const entries = old
    ? transcript.entries.map((other) => (other === old ? entry : other))
    : [...transcript.entries, entry];
  return { ...transcript, entries };
}
