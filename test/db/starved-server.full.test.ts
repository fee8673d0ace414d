import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '../../server/db/database.ts';
import { defer } from '../support/cleanup.ts';
import { engine, freshDatabase } from '../support/database.ts';

/** Long enough for a statement to be considered late and for the server to be asked about it more than once. */
const STARVED_MS = 2_500;

test('a statement is not given up because the processor has no time for the server process that should read it', {
  skip: engine === 'pglite' && 'the embedded engine has no processes',
}, async (t) => {
  const db = await freshDatabase(t);
  // The watchdog starts with the first statement.
  await db.query(sql`select 1`);
  const session = await db.reserve();
  defer(t, () => session.release());
  const [{ pid }] = (await session.query(sql`select pg_backend_pid() as pid`)) as [{ pid: number }];
  process.kill(pid, 'SIGSTOP');
  const answer = session.query(sql`select 2 as n`);
  await pause(STARVED_MS);
  process.kill(pid, 'SIGCONT');
  assert.deepEqual(await answer, [{ n: 2 }]);
});
