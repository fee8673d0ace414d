import { presentNodes } from '../cluster/membership.ts';
import { type Database, sql, type Transaction } from '../db/database.ts';
import { type AgentRunRow, abandonAgentRun, looseAgentRuns } from '../db/queries/vms/agent-runs.ts';
import { appendEntry, completeLostEntries } from '../db/queries/vms/agent-sessions.ts';
import type { Clock } from '../platform/clock.ts';
import { Failures } from '../platform/failures.ts';
import type { Logger } from '../platform/logging.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { AgentRuns } from './agent-runs.ts';
import { NOT_RUN } from './run-record.ts';

const INTERRUPTED = 'The run was interrupted because the service stopped.';
const LOST = '[the service stopped while this command was running; it may or may not have finished]';

interface ReaperServices {
  db: Database;
  clock: Clock;
  agent: AgentRuns;
  logger: Logger;
  metrics: Metrics;
}

/**
 * Ends runs of dead nodes, runs of this node whose end could not be recorded, and runs whose approval did not arrive
 * in time. A run that cannot be ended does not block others and is retried by the next call. Runs are never resumed,
 * because it is not known what the guest did in the meantime; the history says so.
 */
export async function reapOrphanedRuns(
  services: ReaperServices,
  failures = new Failures(services),
): Promise<void> {
  const { db, clock, agent } = services;
  const now = clock.now();
  const loose = await looseAgentRuns(db, now);
  const own = loose.filter(({ owner }) => owner === agent.node).map(({ id }) => id);
  const leftOpen = agent.leftOpen(own);
  if (loose.length === 0) return;
  const present = await presentNodes(db);
  for (const run of loose) {
    const { id, owner } = run;
    if (owner !== null && present.has(owner) && !leftOpen.has(id)) continue;
    await failures.attempt('settle_agent_run', () => db.transaction((tx) => settle(tx, run, now)), id);
  }
}

async function settle(tx: Transaction, run: AgentRunRow, now: Date): Promise<void> {
  const { id, vm_id, owner, approval } = run;
  // A customer or another node may have changed the row since it was read.
  const [row] = await tx.query<{ state: string }>(
    sql`select state from agent_runs where id = ${id} and owner is not distinct from ${owner}::bigint
        and state <> 'finished' for no key update`,
  );
  if (row?.state === 'running') {
    await abandonAgentRun(tx, id, 'error', now);
    await appendEntry(tx, vm_id, { role: 'system', content: INTERRUPTED, run_id: id }, now);
    await completeLostEntries(tx, id, LOST);
  } else if (row && approval) {
    const { command, command_id } = approval;
    const content = `${NOT_RUN}it was not approved in time`;
    await abandonAgentRun(tx, id, 'canceled', now);
    await appendEntry(tx, vm_id, { role: 'command', content, command, command_id, run_id: id }, now);
  }
}
