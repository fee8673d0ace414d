// Runs one world of the money simulation on the database in the environment, and reports one line per batch:
//   node test/simulation/run-world.ts <seed> <operations> [<from> [<killed>]]
// With `from` it resumes a world that was killed before that operation. When operation `killed` begins, the process kills
// itself with others in progress. Fails with the problems and the latest operations. It is a separate process because the
// test runner's tracking of promises costs a quarter of the time.

import { loadConfig } from '../../server/config/config.ts';
import { openState } from '../../server/start/state.ts';
import { Checks } from './checks.ts';
import { SKEW_MS, World } from './world.ts';

/**
 * Operations between two checks: each check reads all that has happened, and with 1,000 the checks took a seventh of
 * the time.
 */
const BATCH = 2500;
/** Operations that a failure lists: a whole batch would hide the failing one. */
const LISTED = 100;

const [seed, operations, begin, killed] = [process.argv[2]!, ...process.argv.slice(3).map(Number)];
const db = await openState(loadConfig(process.env));
const world = await (begin ? World.resume(db, seed) : World.open(db, seed));
world.killedAt = killed;
const checks = new Checks(world);

async function requireSound(problems: string[]): Promise<void> {
  if (problems.length === 0) return;
  throw new Error(`${problems.join('\n')}\nafter, among others:\n${world.log.slice(-LISTED).join('\n')}`);
}

// A resumed world must be sound before anything else happens, whatever was in progress when its process was killed.
for (let from = begin ?? 0, to = from; ; from = to, to = Math.min(from + BATCH, operations!)) {
  await world.run(from, to);
  await world.settle();
  await requireSound(await checks.problems());
  const outcomes: Record<string, number> = {};
  for (const line of world.log) {
    const kind = line.replace(/^\d+ /, '');
    outcomes[kind] = (outcomes[kind] ?? 0) + 1;
  }
  console.log(JSON.stringify({ now: world.services.clock.now(), outcomes }));
  if (to >= operations!) break;
}
// Until then, a guest that the second node has switched off still runs according to the first node's clock.
world.services.clock.advance(SKEW_MS);
await world.reconcile();
// The same for a guest that was switched off just now.
world.services.clock.advance(SKEW_MS);
await requireSound(await checks.guestProblems());
await world.close();
await db.close();
