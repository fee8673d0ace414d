// Runs the money simulation outside the tests, for as long as it takes, and reports one line per world:
//   SIMULATION_OPERATIONS=1000000 npm run simulate -- --db postgres
// It can be run in parts: a seed produces the same worlds in the same order, and SIMULATION_WORLDS=21-40 selects some of
// them. A world with a problem is reported and its database kept, and the others continue. Exits with 1 if there was any.

import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { makeDatabaseLocation } from '../support/database.ts';
import { findPostgres, startPostgres } from '../support/postgres-server.ts';
import { type Report, runWorld, summary, total, WORLD_OPERATIONS } from './run-worlds.ts';

/** Worlds at the same time: as many as two processes and their server can keep busy. */
const CONCURRENCY = 2;

const { values } = parseArgs({ options: { db: { type: 'string', default: 'pglite' } } });
if (values.db !== 'pglite' && values.db !== 'postgres') throw new Error('--db must be pglite or postgres');
const seed = process.env.SIMULATION_SEED ?? randomUUID();
const operations = Number(process.env.SIMULATION_OPERATIONS ?? 1_000_000);
const worlds = Math.ceil(operations / WORLD_OPERATIONS);
const [first, last] = (process.env.SIMULATION_WORLDS ?? `1-${worlds}`).split('-').map(Number) as [
  number,
  number,
];

const start = performance.now();
const reports: Report[] = [];
let done = 0;
let failed = 0;
let next = first;

async function runNext(url: string | undefined): Promise<void> {
  const number = next++;
  const size = Math.min(WORLD_OPERATIONS, operations - (number - 1) * WORLD_OPERATIONS);
  const { env, places, remove } = await makeDatabaseLocation(url);
  try {
    reports.push(await runWorld({ env, seed: `${seed}/${number}`, operations: size }));
    done += size;
    await remove();
  } catch (error) {
    failed++;
    console.log(`FAILED  world ${number}, kept in ${places.join(' and ')}: ${(error as Error).message}`);
  }
  const seconds = (performance.now() - start) / 1000;
  const each = done ? `, ${((seconds * 1000) / done).toFixed(2)} ms each` : '';
  console.log(
    `world ${number} of ${last}: ${done} operations sound, ${failed} worlds failed, ${seconds.toFixed(0)} s${each}`,
  );
}

async function runAll(url: string | undefined): Promise<void> {
  const lane = async () => {
    while (next <= last) await runNext(url);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
}

console.log(
  `${values.db}: worlds ${first} to ${last} of ${worlds}, SIMULATION_SEED=${seed}, since ${new Date().toISOString()}`,
);
if (values.db === 'pglite') await runAll(undefined);
else {
  const bin = findPostgres();
  if (!bin) throw new Error('PostgreSQL is not installed');
  const server = await startPostgres(bin);
  await runAll(server.url).finally(() => server.stop(failed > 0));
}
console.log(summary({ outcomes: total(reports) }));
const seconds = (performance.now() - start) / 1000;
console.log(`${values.db}: ${done} operations sound, ${failed} worlds failed, in ${seconds.toFixed(0)} s`);
process.exitCode = failed > 0 ? 1 : 0;
