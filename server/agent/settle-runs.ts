import { type Database, sql } from '../db/database.ts';
import { abandonAgentRun, looseAgentRuns } from '../db/queries/agent-runs.ts';
import { appendEntry, completeLostEntries } from '../db/queries/agent-sessions.ts';
import { presentNodes } from '../jobs/adopt-jobs.ts';
import type { Clock } from '../platform/clock.ts';
import { NOT_RUN } from './run-record.ts';

const INTERRUPTED = 'The run was interrupted: the service stopped in the middle of it.';
const LOST = '[the service stopped while this command ran; whether it finished is not known]';

/**
 * Ends the runs of nodes that are gone, and those whose approval nobody gave in time. A run is never taken up
 * again: what the guest did meanwhile is not known. Its history says so.
 */
export async function settleAgentRuns(db: Database, clock: Clock): Promise<void> {
  const now = clock.now();
  const loose = await looseAgentRuns(db, now);
  if (loose.length === 0) return;
  const present = await presentNodes(db);
  for (const { id, vm_id, owner, approval } of loose) {
    if (owner !== null && present.has(owner)) continue;
    await db.transaction(async (tx) => {
      // Whoever was faster, a customer or another node, has changed the row.
      const [row] = await tx.query<{ state: string }>(
        sql`select state from agent_runs where id = ${id} and owner is not distinct from ${owner}::bigint
            and state <> 'finished' for update`,
      );
      if (row?.state === 'running') {
        await completeLostEntries(tx, id, LOST);
        await appendEntry(tx, vm_id, { role: 'system', content: INTERRUPTED, run_id: id }, now);
        await abandonAgentRun(tx, id, 'error', now);
      } else if (row && approval) {
        const { command, command_id } = approval;
        const content = `${NOT_RUN}nobody approved it in time`;
        await appendEntry(tx, vm_id, { role: 'command', content, command, command_id, run_id: id }, now);
        await abandonAgentRun(tx, id, 'canceled', now);
      }
    });
  }
}
