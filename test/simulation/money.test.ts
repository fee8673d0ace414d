import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { freshDatabaseLocation } from '../support/database.ts';

// A run that failed is repeated, as far as concurrency allows, with the seed that it printed:
//   SIMULATION_SEED=… SIMULATION_OPERATIONS=5000 npm test -- test/simulation/money.test.ts --db postgres
// The whole of it, some minutes of both cores: SIMULATION_OPERATIONS=100000
const SEED = process.env.SIMULATION_SEED ?? randomUUID();

/** Small worlds, since every check reads all that has happened in one. */
const WORLD_OPERATIONS = 5_000;
/** All in all: what a machine can do beside everything else that is tested. */
const OPERATIONS = Number(process.env.SIMULATION_OPERATIONS ?? 10_000);
/** Worlds side by side: what two processes and their server can keep busy. */
const CONCURRENCY = 2;

interface Report {
  /** The instant at which the world ended. */
  now: string;
  /** How often each operation went which way, such as "create insufficient_funds". */
  outcomes: Record<string, number>;
}

async function runWorld(t: TestContext, seed: string, operations: number): Promise<Report> {
  const { env } = await freshDatabaseLocation(t);
  const script = join(import.meta.dirname, 'run-world.ts');
  const world = spawn(process.execPath, [script, seed, `${operations}`], {
    env: { PATH: process.env.PATH, ...env },
    signal: t.signal,
  });
  const [output, errors] = [world.stdout, world.stderr].map((stream) => stream.setEncoding('utf8').toArray());
  const [code] = await once(world, 'close');
  assert.equal(code, 0, `SIMULATION_SEED=${SEED}, world ${seed}\n${(await errors)!.join('')}`);
  return JSON.parse((await output)!.join(''));
}

/** Operations that were carried out, and that were refused, by their kind. */
function summary({ outcomes }: Report): string {
  const kinds = Map.groupBy(Object.entries(outcomes), ([outcome]) => outcome.split(' ')[0]!);
  return [...kinds]
    .map(([kind, entries]) => {
      const all = entries.reduce((sum, [, count]) => sum + count, 0);
      return `${kind} ${outcomes[`${kind} ok`] ?? 0}/${all}`;
    })
    .join(', ');
}

describe(`money: ${OPERATIONS} random operations`, { concurrency: CONCURRENCY }, () => {
  for (let from = 0; from < OPERATIONS; from += WORLD_OPERATIONS) {
    const number = from / WORLD_OPERATIONS + 1;
    test(`world ${number} stays sound`, async (t) => {
      const report = await runWorld(t, `${SEED}/${number}`, Math.min(WORLD_OPERATIONS, OPERATIONS - from));
      t.diagnostic(`seed ${SEED}/${number}, until ${report.now}: ${summary(report)}`);
    });
  }
});
