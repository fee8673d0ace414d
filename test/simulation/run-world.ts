// Runs one world of the money simulation on the database in the environment, and says how it went:
//   node test/simulation/run-world.ts <seed> <operations>
// Fails with what is wrong, and what was done just before. A process of its own, because the test runner's
// tracking of promises costs a quarter of the time.

import { loadConfig } from '../../server/config.ts';
import { openState } from '../../server/state.ts';
import { Checks } from './checks.ts';
import { World } from './world.ts';

/** Operations between two checks. */
const BATCH = 500;

const [seed, operations] = [process.argv[2]!, Number(process.argv[3])];
const db = await openState(loadConfig(process.env));
const world = await World.open(db, seed);
const checks = new Checks(world);
const outcomes: Record<string, number> = {};

async function requireSound(problems: string[]): Promise<void> {
  if (problems.length === 0) return;
  throw new Error(`${problems.join('\n')}\nafter, among others:\n${world.log.join('\n')}`);
}

for (let from = 0; from < operations; from += BATCH) {
  await world.run(from, Math.min(from + BATCH, operations));
  await world.settle();
  await requireSound(await checks.problems());
  for (const line of world.log) {
    const kind = line.replace(/^\d+ /, '');
    outcomes[kind] = (outcomes[kind] ?? 0) + 1;
  }
}
await requireSound(await checks.guestProblems());
console.log(JSON.stringify({ now: world.services.clock.now(), outcomes }));
await world.close();
await db.close();
