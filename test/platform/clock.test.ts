import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { ManualClock, systemClock } from '../../server/platform/clock.ts';

test('a manual clock stands still until it is moved, and wakes sleepers in their order', async () => {
  const clock = new ManualClock('2026-01-01T00:00:00Z');
  const woken: string[] = [];
  const sleep = async (name: string, ms: number) => {
    await clock.sleep(ms);
    woken.push(name);
  };
  const sleeps = [sleep('late', 2_000), sleep('early', 500), sleep('not yet', 5_000)];
  assert.equal(clock.sleeping, 3);
  clock.advance(2_000);
  await Promise.all(sleeps.slice(0, 2));
  assert.deepEqual(woken, ['early', 'late']);
  assert.equal(clock.sleeping, 1);
  assert.equal(clock.now().toISOString(), '2026-01-01T00:00:02.000Z');
  clock.set(new Date('2026-01-01T00:00:05Z'));
  await sleeps[2];
  assert.throws(() => clock.set(new Date('2026-01-01T00:00:04Z')), /cannot go back/);
});

for (const [name, clock] of [
  ['manual', new ManualClock()],
  ['system', systemClock],
] as const) {
  test(`a sleep of the ${name} clock ends early when its signal aborts`, async () => {
    const stop = new AbortController();
    const sleeping = clock.sleep(60_000, stop.signal);
    const reason = new Error('stopping');
    stop.abort(reason);
    await assert.rejects(sleeping, reason);
    await assert.rejects(clock.sleep(60_000, stop.signal), reason);
  });

  test(`a sleep of no time ends at once on the ${name} clock`, async () => {
    await clock.sleep(0);
    await clock.sleep(-1);
  });
}

test('the system clock tells the time', () => {
  assert.ok(Math.abs(systemClock.now().getTime() - Date.now()) < 1_000);
});

test('a sleep that has ended leaves nothing on its signal', async () => {
  const clock = new ManualClock();
  const { signal } = new AbortController();
  const asleep = clock.sleep(1_000, signal);
  clock.advance(1_000);
  await asleep;
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});
