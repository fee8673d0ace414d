import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ComputeDriver } from '../../server/compute/driver.ts';
import { type Usage, usageBetween } from '../../server/compute/simulator/guest-os/model/rhythm.ts';
import {
  booted,
  DAY_MS,
  eventsUntil,
  guestSpec,
  HOUR_MS,
  MINUTE_MS,
  openTestDatabase,
  settle,
  simulator,
} from './support.ts';

const db = await openTestDatabase();
after(() => db.close());

const START = Date.parse('2026-03-01T00:00:00Z');
const METRICS = Object.keys(usageBetween('vm', 1, 0, 1)) as (keyof Usage)[];

async function readings(driver: ComputeDriver, id: string) {
  const [sample] = await driver.sample([id]);
  assert.ok(sample);
  const { at: _, id: __, vcpu: ___, ramUsedBytes: ____, refused: _____, ...counters } = sample;
  return counters;
}

test('use is the same for every caller, and differs between guests and metrics', () => {
  const week = (id: string) => usageBetween(id, 2, START, START + 7 * DAY_MS);
  assert.deepEqual(week('vm_a'), week('vm_a'));
  const hour = (id: string, metric: keyof Usage, n: number) =>
    usageBetween(id, 2, START + n * HOUR_MS, START + (n + 1) * HOUR_MS)[metric] / week(id)[metric];
  assert.notEqual(hour('vm_a', 'netInBytes', 3), hour('vm_b', 'netInBytes', 3));
  assert.notEqual(hour('vm_a', 'netInBytes', 3), hour('vm_a', 'diskReadBytes', 3));
});

test('use adds up: a year in one piece is a year day by day', () => {
  const whole = usageBetween('vm_a', 4, START, START + 365 * DAY_MS);
  for (const metric of METRICS) {
    let sum = 0;
    for (let day = 0; day < 365; day++) {
      sum += usageBetween('vm_a', 4, START + day * DAY_MS, START + (day + 1) * DAY_MS)[metric];
    }
    assert.ok(Math.abs(sum / whole[metric] - 1) < 1e-9, metric);
  }
});

test('every counter grows every second, and no guest uses more CPU than its own', () => {
  for (let guest = 0; guest < 50; guest++) {
    let last = usageBetween(`vm_${guest}`, 2, START, START + 30 * DAY_MS);
    for (let second = 1; second <= 300; second++) {
      const next = usageBetween(`vm_${guest}`, 2, START, START + 30 * DAY_MS + second * 1000);
      for (const metric of METRICS) assert.ok(next[metric] > last[metric], metric);
      assert.ok(next.cpuSeconds - last.cpuSeconds <= 2);
      last = next;
    }
  }
});

test('a day has a quiet and a busy time', () => {
  const byHour = Array.from({ length: 24 }, () => 0);
  for (let hour = 0; hour < 24 * 14; hour++) {
    const from = START + hour * HOUR_MS;
    byHour[hour % 24]! += usageBetween('vm_a', 1, from, from + HOUR_MS).netOutBytes;
  }
  const busiest = byHour.indexOf(Math.max(...byHour));
  assert.ok(busiest >= 11 && busiest <= 18, `busiest at ${busiest} h`);
  assert.ok(Math.max(...byHour) > 1.8 * Math.min(...byHour));
});

test('counters continue after a reboot, a resize and a new start', async () => {
  const { driver, clock } = simulator(db);
  const id = await booted(driver, clock);
  let last = await readings(driver, id);
  const grows = async () => {
    clock.advance(HOUR_MS);
    const next = await readings(driver, id);
    for (const [name, value] of Object.entries(next))
      assert.ok(value > last[name as keyof typeof last], name);
    last = next;
  };
  await grows();
  await settle(clock, driver.reboot(id, 60));
  await grows();
  await settle(clock, driver.shutdown(id, 60));
  clock.advance(DAY_MS);
  await driver.resize(id, { vcpu: 1, ramMb: 1024, diskGb: 20 });
  await settle(clock, driver.start(id));
  const restarted = await readings(driver, id);
  assert.ok(restarted.cpuSeconds - last.cpuSeconds < 60, 'a day off uses nothing');
  await grows();
});

test('memory fills after a boot and stays below its size; the disk fills up to a point', async () => {
  const { driver, clock } = simulator(db);
  const ids: string[] = [];
  for (let n = 0; n < 10; n++) ids.push(await booted(driver, clock));
  const fresh = await driver.sample(ids);
  for (let hour = 0; hour < 48; hour++) {
    clock.advance(HOUR_MS);
    for (const [n, { ramUsedBytes }] of (await driver.sample(ids)).entries()) {
      assert.ok(ramUsedBytes > 0 && ramUsedBytes < 2048 * 1_048_576);
      if (hour % 24 === 15) assert.ok(ramUsedBytes > fresh[n]!.ramUsedBytes);
    }
  }
  const [first] = await driver.volumes(ids[0]!);
  clock.advance(10 * 365 * DAY_MS);
  const [last] = await driver.volumes(ids[0]!);
  assert.ok(first!.usedBytes! < last!.usedBytes!);
  assert.equal(last!.usedBytes, 16_000_000_000);
});

test('a guest has readings as soon as it is on', async () => {
  const { driver, clock } = simulator(db);
  const spec = guestSpec();
  await driver.create(spec);
  const starting = driver.start(spec.id);
  while (clock.sleeping === 0) await new Promise(setImmediate);
  clock.advance(1_000);
  const [booting] = await driver.sample([spec.id]);
  await settle(clock, starting);
  const [running] = await driver.sample([spec.id]);
  assert.ok(booting!.netOutBytes > 0 && booting!.netOutBytes < running!.netOutBytes);
});

test('a running guest warns about once in four days; a later watcher sees the last hour again', async () => {
  const { driver, clock } = simulator(db);
  const ids = new Set<string>();
  for (let n = 0; n < 20; n++) ids.add(await booted(driver, clock));
  const begun = clock.now();
  const until = new Date(begun.getTime() + 40 * DAY_MS);
  // The first guests to boot may have sent warnings while the others were booting.
  const seen = (await eventsUntil(driver, clock, until, HOUR_MS)).filter(
    ({ id, at }) => ids.has(id) && at > begun,
  );
  assert.ok(seen.length > 120 && seen.length < 280, `${seen.length} warnings in 800 guest days`);
  assert.equal(new Set(seen.map(({ key }) => key)).size, seen.length);
  for (const event of seen) assert.ok(event.at <= until && event.type === 'guest.warning');
  const recent = (await eventsUntil(driver, clock, until, MINUTE_MS)).filter(({ id }) => ids.has(id));
  const lastHour = seen.filter(({ at }) => at.getTime() > until.getTime() - HOUR_MS);
  // Two events within an hour are sorted by guest for an observer who polls hourly, but by time for one who polls each
  // minute.
  assert.deepEqual(recent.map(({ key }) => key).sort(), lastHour.map(({ key }) => key).sort());
});
