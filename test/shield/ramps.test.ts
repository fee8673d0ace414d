import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeded } from '../../server/platform/synthetic-load.ts';
import { FLOOR, type Rate, Watch } from '../../server/shield/baseline.ts';
import { attackedTogether } from '../../server/shield/together.ts';

const SECOND = 1000;
const START = Date.parse('2026-01-01T00:00:00Z');
const HOUR = 3_600;
const DAY = 24 * HOUR;
const at = (second: number) => new Date(START + second * SECOND);
const pps = (value: number, length = 500): Rate => ({ pps: value, bps: value * 8 * length });

test('an attack that doubles every minute is caught before it is eight times the usual', (t) => {
  for (const usual of [100, 10_000, 60_000]) {
    const watch = new Watch();
    for (let second = 0; second < HOUR; second++) watch.look(pps(usual), at(second));
    const threshold = watch.threshold.pps;
    let caught: number | undefined;
    for (let second = 0; caught === undefined; second++) {
      const rate = pps(usual * 2 ** (second / 60));
      assert.ok(second < 20 * 60, `one of ${usual} packets a second is not caught`);
      if (watch.look(rate, at(HOUR + second)) === 'attack') caught = rate.pps;
    }
    t.diagnostic(`usual ${usual}: caught at ${Math.round(caught)} packets/s`);
    assert.ok(caught <= 8 * Math.max(usual, threshold / 5), `${caught}`);
  }
});

/** A month of explainable traffic per second; each kind has its own random numbers. */
function months(): Record<string, (second: number) => Rate> {
  const random = seeded('a month of reasons');
  const noise = () => 0.8 + 0.4 * random();
  const daily = (second: number) => 1 + 0.6 * Math.sin((2 * Math.PI * second) / DAY);
  const crowds = Array.from({ length: 30 }, (_, day) => day * DAY + random() * 20 * HOUR);
  const crowd = (second: number) => {
    const since = second - crowds[Math.floor(second / DAY)]!;
    if (since < 0 || since > 2 * HOUR) return 1;
    // Rises tenfold within a quarter of an hour, and falls back within an hour.
    return since < 900 ? 10 ** (since / 900) : 10 ** (1 - Math.min(1, (since - 900) / HOUR));
  };
  return {
    'a shop with flash crowds': (second) => pps(4_000 * daily(second) * crowd(second) * noise(), 200),
    'backups of the night, at 450 Mbit/s': (second) =>
      second % DAY < 2 * HOUR ? pps(37_000 * (0.98 + 0.04 * random()), 1_500) : pps(50 * noise()),
    'video in pieces, every other look': (second) =>
      pps((second % 12 === 0 ? 30_000 : 2_000) * daily(second) * noise(), 1_000),
    'a game server whose players come for rounds': (second) =>
      pps((second % 1_200 < 900 ? 18_000 : 6_000) * daily(second) * noise(), 120),
    'a resolver': (second) => pps(6_000 * daily(second) * noise() * (random() < 0.001 ? 3 : 1), 90),
    'a mail server': () => pps(300 * noise() * (random() < 0.01 ? 20 : 1), 700),
  };
}

test('a month of bursts that have their reasons raises no alarm, not even of all neighbours together', (t) => {
  const STEP = 6;
  const series = Object.entries(months()).map(([name, rateAt], index) => ({
    id: name,
    ip: `203.0.113.${index + 1}`,
    rateAt,
    watch: new Watch(),
    rate: pps(0),
    suspected: 0,
  }));
  for (let second = 0; second < 30 * DAY; second += STEP) {
    for (const one of series) one.rate = one.rateAt(second);
    const together = attackedTogether(series);
    for (const one of series) {
      const look = one.watch.look(one.rate, at(second), together.has(one.id));
      if (look === 'suspect') one.suspected += 1;
      else assert.equal(look, 'quiet', `${one.id}, second ${second}: ${JSON.stringify(one.rate)}`);
    }
  }
  for (const { id, suspected } of series) t.diagnostic(`${id}: looked at more closely ${suspected} times`);
});

test('neighbours that each receive a little are attacked together if the total is high', () => {
  const targets = Array.from({ length: 20 }, (_, index) => {
    const watch = new Watch();
    for (let second = 0; second < 600; second++) watch.look(pps(100), at(second));
    return { id: `tgt_${index}`, ip: `203.0.113.${index + 1}`, watch, rate: pps(3_000) };
  });
  assert.equal(attackedTogether(targets).size, 20, `${20 * 3_000} packets a second`);
  assert.equal(attackedTogether(targets.map((one) => ({ ...one, rate: pps(1_000) }))).size, 0, 'too little');
  assert.equal(attackedTogether(targets.slice(0, 4)).size, 0, 'too few');
  const apart = targets.map((one, index) => ({ ...one, ip: `203.0.${index}.1` }));
  assert.equal(attackedTogether(apart).size, 0, 'no neighbours');
  const usual = targets.map((one) => ({ ...one, watch: new Watch(pps(2_000)) }));
  assert.equal(attackedTogether(usual).size, 0, 'what they usually receive, nearly');
  const six = targets.map((one, index) => ({ ...one, ip: `2001:db8:b:${index}::1` }));
  assert.equal(attackedTogether(six).size, 20);

  const { watch, rate } = targets[0]!;
  assert.equal(watch.look(rate, at(600), true), 'suspect');
  assert.equal(watch.look(rate, at(601), true), 'attack');
  assert.ok(watch.isTogether && watch.level(rate) > 1);
  // The traffic is still more than half of the level that made it an attack; quiet begins only after a minute below
  // that.
  assert.equal(watch.look(rate, at(700), false), 'attack');
  assert.equal(watch.look(pps(100), at(701)), 'attack');
  assert.equal(watch.look(pps(100), at(761)), 'ended');
  assert.deepEqual([watch.isTogether, watch.threshold.pps], [false, FLOOR.pps]);
  assert.ok(watch.baseline!.pps < 110, 'nothing was learnt');
});

test("an operator's threshold replaces the learnt one, each part separately", () => {
  const watch = new Watch(pps(1_000));
  watch.fixed = { pps: 2_000 };
  assert.deepEqual(watch.threshold, { pps: 2_000, bps: FLOOR.bps });
  assert.equal(watch.look(pps(2_500), at(0)), 'suspect');
  watch.fixed = {};
  assert.equal(watch.look(pps(2_500), at(1)), 'quiet');
  watch.fixed = { bps: 1_000_000_000 };
  assert.equal(watch.look({ pps: 1_000, bps: 900_000_000 }, at(2)), 'quiet');
});
