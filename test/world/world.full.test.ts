// Runs on both engines: the embedded one has its own zone and its own rules of text.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import manifest from '../../package.json' with { type: 'json' };
import { COMBINATIONS, IMPOSSIBLE, ORDINARY, tellIn, VALUES, worldOf } from './support/worlds.ts';

const SEED = Number(process.env.WORLD_SEED ?? randomInt(COMBINATIONS));

const possible = (values: readonly string[]) => values.filter((value) => IMPOSSIBLE[value] === undefined);
/**
 * Other versions of Node have to be downloaded, and a quarter of a processor is slow: both are only for runs by hand.
 */
const CHOICES = {
  ...Object.fromEntries(Object.entries(VALUES).map(([name, values]) => [name, possible(values)])),
  processor: ['whole'],
  node: ['own'],
};

test('a service does the same wherever it is', async (t) => {
  const world = worldOf(SEED, CHOICES);
  t.diagnostic(`WORLD_SEED=${SEED}: ${JSON.stringify(world)}`);
  for (const [value, reason] of Object.entries(IMPOSSIBLE)) t.diagnostic(`never ${value}: ${reason}`);
  const { engines } = manifest;
  const [here, there] = await Promise.all([
    tellIn(t, ORDINARY, engines.node),
    tellIn(t, world, engines.node),
  ]);
  assert.deepEqual(there, here);
});
