// Needs: an idle machine.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

// To be run by hand on an idle machine: npm test -- test/hosts/seeded.slow.test.ts --db pglite
// For a part of the seeds: HOST_SEED=501 HOST_SEEDS=500
const SEEDS = Number(process.env.HOST_SEEDS ?? 1_000);
const FIRST = Number(process.env.HOST_SEED ?? 1);
/** Seeds per process: its database grows with each. */
const EACH = 25;
/** One for each core of the smallest machine that runs this. */
const AT_ONCE = 2;
const FILE = join(import.meta.dirname, 'seeded.test.ts');

test(`${SEEDS} seeds from ${FIRST} on, ${EACH} of them in each process`, async (t) => {
  const end = FIRST + SEEDS;
  const starts = Array.from({ length: Math.ceil(SEEDS / EACH) }, (_, n) => FIRST + n * EACH).values();
  const failures: string[] = [];
  const runNext = async () => {
    for (const first of starts) {
      const seeds = { HOST_SEED: String(first), HOST_SEEDS: String(Math.min(EACH, end - first)) };
      // The child process must not consider itself a part of this test.
      const { NODE_TEST_CONTEXT: _, ...env } = process.env;
      await promisify(execFile)(process.execPath, [FILE], { env: { ...env, ...seeds } }).then(
        () => t.diagnostic(`from ${first} on: passed`),
        ({ stdout }) => failures.push(stdout.slice(0, 2_000)),
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runNext));
  assert.deepEqual(failures, []);
});
