// Runs on both engines: worlds are shallow in the fast tier, and engines interleave differently.
// Runs alone on PostgreSQL: two processes and their server ask and answer all the time; alongside others a world takes four times as long.
import { describe, test } from 'node:test';
import { engine, freshDatabaseLocation } from '../support/database.ts';
import { depth } from '../support/depth.ts';
import { runWorld, summary, WORLD_OPERATIONS } from './run-worlds.ts';

// To repeat a failed run, as far as concurrency allows, use the seed that it printed:
//   SIMULATION_SEED=… SIMULATION_OPERATIONS=5000 npm test -- test/simulation/money.test.ts --db postgres
// The worlds are the same each time, so only a change of the code can make them fail. New worlds, and more than a test
// has time for, are run by hand: npm run simulate.
const SEED = process.env.SIMULATION_SEED ?? 'vauban';

/** On PostgreSQL five worlds, which is one of each kind. An operation takes the embedded engine twice as long. */
const DEEP = { pglite: 2_500, postgres: 12_500 }[engine];
const { SIMULATION_OPERATIONS } = process.env;
const OPERATIONS = Number(SIMULATION_OPERATIONS ?? depth(100, DEEP));
/**
 * Operations per world. If the number of operations is set by hand, worlds are as large as those of npm run simulate.
 */
const WORLD = SIMULATION_OPERATIONS ? WORLD_OPERATIONS : 2_500;
/**
 * The worlds (of five) whose process is killed: each continues in two more processes, and three starts take as long as
 * a thousand operations.
 */
const KILLED = [1, 3];
/** Far longer than a world takes on any machine. */
const TIMEOUT = 3_600_000;
/** Worlds at the same time: as many as two processes and their server can keep busy. */
const CONCURRENCY = 2;

describe(`money: ${OPERATIONS} random operations`, { concurrency: CONCURRENCY, timeout: TIMEOUT }, () => {
  for (let from = 0; from < OPERATIONS; from += WORLD) {
    const number = from / WORLD + 1;
    test(`world ${number} stays sound`, async (t) => {
      const { env } = await freshDatabaseLocation(t);
      const seed = `${SEED}/${number}`;
      t.diagnostic(`SIMULATION_SEED=${SEED}`);
      const operations = Math.min(WORLD, OPERATIONS - from);
      const killed = KILLED.includes(number % 5);
      const report = await runWorld({ env, seed, operations, killed, signal: t.signal });
      t.diagnostic(`until ${report.now}: ${summary(report)}`);
    });
  }
});
