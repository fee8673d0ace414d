// Runs the service in a process whose clock stands still and which dies on command. A Unix socket next to the
// operator's receives the commands, which controlled.ts sends. CLOCK_START is the initial time.
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { loadConfig } from '../../../server/config/config.ts';
import { sql } from '../../../server/db/database.ts';
import { ManualClock } from '../../../server/platform/clock.ts';
import { startService } from '../../../server/start/compose.ts';
import { openState } from '../../../server/start/state.ts';
import { inventoryProblems, ledgerProblems } from '../../support/invariants.ts';
import { KillPoints } from './kill-points.ts';
import { places } from './places.ts';

const config = loadConfig(process.env);
const clock = new ManualClock(process.env.CLOCK_START);
const db = await openState(config);
const points = new KillPoints();

/** Returns unfinished or still owned jobs, one per line. */
async function underWay(): Promise<string[]> {
  const rows = await db.query<{ line: string }>(sql`
    select concat_ws(' ', id, kind, status, 'at step', step, case when undoing then 'undoing' end, 'owned by', owner) as line
    from jobs where status in ('pending', 'running') or owner is not null`);
  return rows.map(({ line }) => line);
}

const orders: Record<string, (input: { ms?: number; killAt?: string }) => unknown> = {
  '/advance': ({ ms = 0 }) => clock.advance(ms),
  '/record': ({ killAt }) => points.record(killAt),
  '/points': () => points.reached,
  '/under-way': underWay,
  '/places': () => places(service.services.compute, db),
  '/sleeping': () => clock.sleeping,
  '/problems': async () => [...(await ledgerProblems(db)), ...(await inventoryProblems(db))],
};

const control = createServer(async (request, response) => {
  const result = await orders[request.url!]!((await json(request)) as object);
  response.end(JSON.stringify({ result: result ?? null, now: clock.now() }));
});
const socket = join(config.dataDir, 'control.sock');
// A killed predecessor has left its socket behind.
await rm(socket, { force: true });
const service = await startService(config, points.watch(db), { clock });
control.listen(socket);
// Node writes its compile cache when a process exits normally, which may never happen here.
flushCompileCache();

process.once('SIGTERM', async () => {
  control.close();
  await service.stop();
});
