import { execute, maybeOne, one, type Queryable, sql } from '../../database.ts';

export interface AgentSessionRow {
  vm_id: string;
  account_id: string;
  id: string;
  next_seq: number;
  started_at: Date;
}

export type EntryRole = 'user' | 'assistant' | 'command' | 'system';

/** A message or a command in a conversation. */
export interface AgentEntryRow {
  vm_id: string;
  seq: number;
  session_id: string;
  run_id: string;
  role: EntryRole;
  /** The message, or a command's output; null while the command runs. */
  content: string | null;
  command: string | null;
  command_id: string | null;
  exit_code: number | null;
  created_at: Date;
}

export type NewEntry = Pick<AgentEntryRow, 'role' | 'content' | 'run_id'> &
  Partial<Pick<AgentEntryRow, 'command' | 'command_id' | 'exit_code'>>;

/** Number of entries a conversation keeps. It exceeds what one run can add, so a run never loses its own beginning. */
const KEPT_ENTRIES = 120;

export function findAgentSession(db: Queryable, vmId: string): Promise<AgentSessionRow | undefined> {
  return maybeOne<AgentSessionRow>(db, sql`select * from agent_sessions where vm_id = ${vmId}`);
}

/** Returns the VM's conversation, after inserting `session` if there is none. */
export async function ensureAgentSession(
  db: Queryable,
  session: Omit<AgentSessionRow, 'next_seq'>,
): Promise<AgentSessionRow> {
  await execute(
    db,
    sql`
    insert into agent_sessions (vm_id, account_id, id, started_at)
    values (${session.vm_id}, ${session.account_id}, ${session.id}, ${session.started_at})
    on conflict (vm_id) do nothing`,
  );
  return one<AgentSessionRow>(db, sql`select * from agent_sessions where vm_id = ${session.vm_id}`);
}

/** Starts a new conversation and deletes all entries of the previous one. */
export async function replaceAgentSession(
  db: Queryable,
  session: Omit<AgentSessionRow, 'next_seq'>,
): Promise<void> {
  await execute(db, sql`delete from agent_sessions where vm_id = ${session.vm_id}`);
  await execute(db, sql`delete from agent_entries where vm_id = ${session.vm_id}`);
  await ensureAgentSession(db, session);
}

/**
 * Appends an entry to a conversation and drops the oldest ones. Undefined if the conversation was deleted with its VM.
 * The insert is one statement: a reader sees an entry with its number or not at all.
 */
export async function appendEntry(
  db: Queryable,
  vmId: string,
  entry: NewEntry,
  at: Date,
): Promise<AgentEntryRow | undefined> {
  const row = await maybeOne<AgentEntryRow>(
    db,
    sql`
    with session as (
      update agent_sessions set next_seq = next_seq + 1 where vm_id = ${vmId} returning id, next_seq - 1 as seq
    )
    insert into agent_entries (vm_id, seq, session_id, run_id, role, content, command, command_id, exit_code, created_at)
    select ${vmId}, seq, id, ${entry.run_id}, ${entry.role}, ${entry.content}, ${entry.command ?? null},
      ${entry.command_id ?? null}, ${entry.exit_code ?? null}::int, ${at} from session
    returning *`,
  );
  if (row)
    await execute(
      db,
      sql`delete from agent_entries where vm_id = ${vmId} and seq <= ${row.seq - KEPT_ENTRIES}`,
    );
  return row;
}

/** Records the output and exit code of a command. */
export async function completeEntry(
  db: Queryable,
  vmId: string,
  seq: number,
  content: string,
  exitCode: number | null,
): Promise<void> {
  await execute(
    db,
    sql`
    update agent_entries set content = ${content}, exit_code = ${exitCode}::int where vm_id = ${vmId} and seq = ${seq}`,
  );
}

/** Marks commands that were running when their node was lost: their outcome is unknown. */
export async function completeLostEntries(db: Queryable, runId: string, content: string): Promise<void> {
  await execute(
    db,
    sql`update agent_entries set content = ${content} where run_id = ${runId} and content is null`,
  );
}

/** Lists a conversation's entries, oldest first. */
export function listEntries(db: Queryable, vmId: string): Promise<AgentEntryRow[]> {
  return db.query<AgentEntryRow>(sql`select * from agent_entries where vm_id = ${vmId} order by seq`);
}
