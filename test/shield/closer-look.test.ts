// Runs on the embedded engine only: it is about when the detector looks; test/chaos/shield.full.test.ts stores attacks on PostgreSQL.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CLOSER_LOOK_MS, shieldTasks } from '../../server/shield/shield-tasks.ts';
import { asleep } from '../compute/support.ts';
import { openScripted } from './scripted-edge.ts';
import { attacksOn, rulesOf } from './support.ts';

const LOOK_MS = 250;

/** The detector's own task, on an edge that the test controls. */
async function open(t: TestContext) {
  const { api, edge, reconciler, target, receive } = await openScripted(t);
  const services = { ...api.services, edge, shield: reconciler };
  const { run } = shieldTasks(services).find(({ name }) => name === 'detect_attacks')!;
  const stop = new AbortController();
  const look = () => run(stop.signal);
  const attacked = await target();
  const { clock } = api.services;
  for (let looks = 0; looks < 3; looks++) {
    clock.advance(LOOK_MS);
    await look();
  }
  return { api, clock, look, stop, attacked, flood: (packets: number) => receive(attacked, packets, 100) };
}

test('a flood is named and met before the next look at all targets is due', async (t) => {
  const { api, clock, look, attacked, flood } = await open(t);
  flood(25_000);
  clock.advance(LOOK_MS);
  const looking = look();
  await asleep(clock, 1);
  assert.deepEqual(await rulesOf(api, attacked), []);
  flood(10_000);
  clock.advance(CLOSER_LOOK_MS);
  await looking;
  const [attack] = await attacksOn(api, attacked);
  assert.equal(attack?.status, 'ongoing');
  const rules = await rulesOf(api, attacked);
  assert.deepEqual(
    rules.map(({ origin, protocol }) => ({ origin, protocol })),
    [{ origin: 'automatic', protocol: 'udp' }],
  );
});

test('a burst that is over at the closer look is no attack', async (t) => {
  const { api, clock, look, attacked, flood } = await open(t);
  flood(15_000);
  clock.advance(LOOK_MS);
  const looking = look();
  await asleep(clock, 1);
  clock.advance(CLOSER_LOOK_MS);
  await looking;
  assert.deepEqual(await attacksOn(api, attacked), []);
});

test('a service that stops does not wait for a closer look', async (t) => {
  const { clock, look, stop, flood } = await open(t);
  flood(25_000);
  clock.advance(LOOK_MS);
  const looking = look();
  await asleep(clock, 1);
  stop.abort();
  await assert.rejects(looking, { name: 'AbortError' });
});
