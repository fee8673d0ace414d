import { test } from 'node:test';
import { depth } from '../support/depth.ts';
import { assertInvariants } from '../support/invariants.ts';
import { HostWorld } from './seeded.ts';
import { Rack } from './support.ts';

/** By hand: HOST_SEEDS=1000 npm test -- test/hosts/seeded.test.ts --db pglite; HOST_SEED is the first of them. */
const SEEDS = Number(process.env.HOST_SEEDS ?? depth(1, 2));
const FIRST = Number(process.env.HOST_SEED ?? 1);
const HOSTS = ['a', 'b', 'c'];

test(`${SEEDS} seeds: while hosts are lost, found and drained each VM is one, billed once, at its address`, async (t) => {
  let world: HostWorld | undefined;
  const hosts = HOSTS.map((name) => ({ name, capacity: { ramMb: 65_536 } }));
  const rack = await Rack.open(t, { hosts }, () => world?.betweenSteps());
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    world = new HostWorld(rack, HOSTS, seed);
    await world.run().catch((cause) => {
      throw new Error(`HOST_SEED=${seed} fails: ${cause.message}`, { cause });
    });
  }
  await assertInvariants(rack.db);
});
