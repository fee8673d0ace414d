// Needs: root, the npm registry; WORLD_SEED chooses one world, WORLD_ALL=1 runs all combinations
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import manifest from '../../package.json' with { type: 'json' };
import { COMBINATIONS, IMPOSSIBLE, ORDINARY, tellIn, VALUES, type World, worldOf } from './support/worlds.ts';

const NODE = manifest.engines.node;
const { WORLD_SEED, WORLD_ALL } = process.env;

/** Each value once in an otherwise ordinary world, so that a failure has a single cause. */
const singles = Object.entries(VALUES).flatMap(([name, [, ...others]]) =>
  others.map((value): World => ({ ...ORDINARY, [name]: value })),
);
/** A few random combinations. */
const random = Array.from({ length: 5 }, () => worldOf(randomInt(COMBINATIONS)));
const worlds = WORLD_ALL
  ? Array.from({ length: COMBINATIONS }, (_, seed) => worldOf(seed))
  : WORLD_SEED
    ? [worldOf(Number(WORLD_SEED))]
    : [...singles, ...random];

test('a service does the same wherever it is', async (t) => {
  let here: unknown;
  await t.test('as in the other tests', async (t) => {
    here = await tellIn(t, ORDINARY, NODE);
  });
  for (const world of worlds) {
    const reason = Object.values(world)
      .map((value) => IMPOSSIBLE[value])
      .find(Boolean);
    await t.test(JSON.stringify(world), { skip: reason ?? false }, async (t) => {
      assert.deepEqual(await tellIn(t, world, NODE), here);
    });
  }
});
