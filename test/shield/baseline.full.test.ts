import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalPackets } from '../../server/edge/simulator/traffic.ts';
import { seeded } from '../../server/platform/synthetic-load.ts';
import { FLOOR, QUIET_MS, type Rate, Watch } from '../../server/shield/baseline.ts';

const SECOND = 1000;
const START = Date.parse('2026-01-01T00:00:00Z');
const DAY_SECONDS = 86_400;
const at = (second: number) => new Date(START + second * SECOND);
const pps = (value: number): Rate => ({ pps: value, bps: value * 4_000 });

/** Feeds a series with one value per second; returns the first few looks that were not quiet. */
function alarms(watch: Watch, seconds: number, rateAt: (second: number) => Rate): string[] {
  const found: string[] = [];
  for (let second = 0; second < seconds; second++) {
    const look = watch.look(rateAt(second), at(second));
    if (look !== 'quiet' && found.length < 5) found.push(`${look} at ${second} s`);
  }
  return found;
}

const attacksIn = (looks: string[]) => looks.filter((look) => !look.startsWith('suspect'));

test('a month of ordinary traffic, a look a second, raises no alarm', (t) => {
  // The traffic of simulated targets, and a hundred times as much, for which the floor is irrelevant.
  for (const [id, factor] of [
    ['tgt_quiet', 1],
    ['tgt_busy', 100],
  ] as const) {
    const watch = new Watch();
    const looks = alarms(watch, 30 * DAY_SECONDS, (second) =>
      pps(factor * normalPackets(id, START + second * SECOND, START + (second + 1) * SECOND)),
    );
    assert.deepEqual(looks, []);
    const usual = Math.round(watch.baseline!.pps);
    t.diagnostic(`${id}: ${30 * DAY_SECONDS} looks, usual in the end ${usual} packets/s`);
  }
});

test('bursts that are legitimate raise no alarm', () => {
  const random = seeded('bursts');
  const burstEvery = (seconds: number, length: number, usual: number, burst: number) => (second: number) =>
    pps((second % seconds >= seconds - length ? burst : usual) * (0.9 + 0.2 * random()));
  const series: Record<string, (second: number) => Rate> = {
    'downloads at 400 Mbit/s on a machine that idles': (second) =>
      second % 600 >= 480 ? { pps: 35_000, bps: 420_000_000 } : pps(100),
    'a shop with a sale on the hour': burstEvery(3_600, 900, 15_000, 55_000),
    'a busy site that is shown on television': burstEvery(DAY_SECONDS, 600, 40_000, 150_000),
    'a cron job of every minute': burstEvery(60, 5, 5_000, 35_000),
    'a game that starts a round': burstEvery(300, 30, 20_000, 80_000),
    'a launch that doubles every ten minutes': (second) =>
      pps(Math.min(2_000_000, 10_000 * 2 ** (second / 600))),
    'single seconds of three times as much': (second) => pps(second % 17 === 0 ? 60_000 : 20_000),
  };
  for (const [name, rateAt] of Object.entries(series)) {
    assert.deepEqual(attacksIn(alarms(new Watch(), DAY_SECONDS, rateAt)), [], name);
  }
});

test('one look above the threshold is suspicious, two are an attack, one far above is at once', () => {
  const usual = () => {
    const watch = new Watch();
    alarms(watch, 100, () => pps(1_000));
    return watch;
  };
  const over = pps(FLOOR.pps * 1.5);
  const slow = usual();
  assert.equal(slow.look(over, at(100)), 'suspect');
  assert.equal(slow.look(over, at(101)), 'attack');
  assert.deepEqual(slow.lastQuiet, at(99), 'it began after the last look at which nothing was unusual');
  assert.equal(usual().look(pps(FLOOR.pps * 2.1), at(100)), 'attack');
  const passing = usual();
  assert.equal(passing.look(over, at(100)), 'suspect');
  assert.equal(passing.look(pps(1_000), at(101)), 'quiet');
  assert.equal(passing.look(over, at(102)), 'suspect', 'two that do not follow each other are two');
});

test('a target that is busy when it is first seen is busy, one that is flooded is flooded', () => {
  const busy = pps(FLOOR.pps * 1.9);
  assert.deepEqual(
    alarms(new Watch(), 100, () => busy),
    [],
  );
  assert.equal(new Watch().look(pps(FLOOR.pps * 2.1), at(0)), 'attack');
});

test('a flood during the first reading of a target is not considered normal', () => {
  const watch = new Watch();
  assert.equal(watch.look(pps(FLOOR.pps * 1.5), at(0)), 'quiet', 'its first part might be anything');
  assert.equal(watch.look(pps(FLOOR.pps * 5), at(1)), 'attack');
});

test('the baseline of a new target is the least of its first ten seconds', () => {
  const watch = new Watch();
  // The end of a flood or of a download says nothing about the usual traffic.
  assert.equal(watch.look(pps(FLOOR.pps * 1.5), at(0)), 'quiet');
  assert.equal(watch.look(pps(200), at(1)), 'quiet');
  assert.equal(watch.look(pps(FLOOR.pps * 0.9), at(2)), 'quiet');
  assert.equal(watch.baseline!.pps, 200);
  assert.equal(watch.look(pps(FLOOR.pps * 1.5), at(3)), 'suspect');
  assert.equal(watch.look(pps(FLOOR.pps * 1.5), at(4)), 'attack');

  // During the first ten seconds, not more than twice the floor is tolerated either.
  const flooded = new Watch();
  assert.equal(flooded.look(pps(FLOOR.pps * 1.9), at(0)), 'quiet');
  assert.equal(flooded.look(pps(FLOOR.pps * 1.9), at(1)), 'quiet');
  assert.equal(flooded.look(pps(FLOOR.pps * 2.5), at(2)), 'suspect');
  assert.equal(flooded.look(pps(FLOOR.pps * 2.5), at(3)), 'attack');

  // Afterwards the baseline follows the traffic.
  const later = new Watch();
  alarms(later, 60, (second) => pps(second < 5 ? 100 : 5_000));
  assert.ok(later.baseline!.pps > 4_900, `${later.baseline!.pps}`);
  // A baseline known before a restart is kept.
  const known = new Watch(pps(5_000));
  alarms(known, 10, () => pps(100));
  assert.ok(known.baseline!.pps > 500, `${known.baseline!.pps}`);
});

test('the threshold is five times the usual, and never below the floor', () => {
  const watch = new Watch();
  alarms(watch, 200, () => pps(30_000));
  assert.ok(Math.abs(watch.threshold.pps - 150_000) < 1);
  assert.equal(new Watch({ pps: 10, bps: 10 }).threshold.bps, FLOOR.bps);
});

test('nothing is learnt from an attack, nor from the second in which it begins', () => {
  const watch = new Watch();
  alarms(watch, 100, () => pps(5_000));
  assert.equal(
    watch.look(pps(39_000), at(100)),
    'quiet',
    'the part of a flood that fell into its first second',
  );
  for (let second = 101; second < 400; second++) watch.look(pps(500_000), at(second));
  assert.ok(Math.abs(watch.baseline!.pps - 5_000) < 1, `${watch.baseline!.pps}`);
});

test('an attack is over when less than half the threshold came in for a minute', () => {
  const watch = new Watch({ pps: 1_000, bps: 1_000_000 });
  assert.equal(watch.look(pps(200_000), at(0)), 'attack');
  const quiet = pps(FLOOR.pps * 0.4);
  const looks = Array.from({ length: 30 }, (_, second) => watch.look(quiet, at(second + 1)));
  assert.deepEqual(new Set(looks), new Set(['attack']));
  assert.equal(watch.look(pps(FLOOR.pps * 0.6), at(31)), 'attack', 'it flares up: the minute starts over');
  for (let second = 32; second < 32 + QUIET_MS / SECOND; second++) {
    assert.equal(watch.look(quiet, at(second)), 'attack');
  }
  assert.equal(watch.look(quiet, at(92)), 'ended');
  assert.deepEqual(watch.quietSince, at(32));
  assert.equal(watch.look(quiet, at(93)), 'quiet');
});
