import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Database, one, sql } from '../../server/db/database.ts';
import { updateVm } from '../../server/db/queries/vms/vms.ts';
import { MetricsSampler } from '../../server/metering/sample-metrics.ts';
import { makeVm, openApi, type TestApi } from '../network/support.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = new Date('2026-01-01T00:00:00Z');
const after = (ms: number) => new Date(START.getTime() + ms);

/**
 * Writes samples like the sampler, in [from, to): CPU usage counts the minutes of the hour, everything else is
 * constant.
 */
async function writeSamples(
  db: Database,
  vmId: string,
  from: Date,
  to: Date,
  everySeconds = 10,
): Promise<void> {
  await db.query(sql`
    insert into metric_samples
    select ${vmId}, at, extract(minute from at), 1, 2, 3, 4, 5, 6, 7, 8, 9
    from generate_series(${from}::timestamptz, ${new Date(to.getTime() - 1)}::timestamptz,
      ${everySeconds}::int * interval '1 second') as at`);
}

interface Rows {
  samples: number;
  minutes: number;
  five_minutes: number;
}

function rowsOf(db: Database, vmId: string): Promise<Rows> {
  return one<Rows>(
    db,
    sql`select (select count(*) from metric_samples where vm_id = ${vmId})::int as samples,
      (select count(*) from metric_rollups where vm_id = ${vmId} and step_seconds = 60)::int as minutes,
      (select count(*) from metric_rollups where vm_id = ${vmId} and step_seconds = 300)::int as five_minutes`,
  );
}

async function cpuPoints(
  api: TestApi,
  vmId: string,
  from: Date,
  to: Date,
  step: number,
): Promise<(number | null)[]> {
  const path = `/v1/vm/${vmId}/metrics?metrics=cpu&from=${from.toISOString()}&to=${to.toISOString()}&step=${step}`;
  const { status, body } = await api.call('GET', path);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.series.cpu_percent.points.map(([, value]: [number, number | null]) => value);
}

const hourOf = (stepMinutes: number) =>
  Array.from({ length: 60 / stepMinutes }, (_, step) => step * stepMinutes + (stepMinutes - 1) / 2);

test('roll-ups', async (t) => {
  const api = await openApi(t);
  const { db, clock } = api.services;

  await t.test('forty days leave a bounded number of rows, and 30 of them can be read', async () => {
    const vm = await makeVm(api);
    const sampler = new MetricsSampler(api.services);
    const most = { samples: 0, minutes: 0, five_minutes: 0 };
    const [step, end] = [12 * HOUR, 40 * DAY];
    for (let at = 0; at < end; at += step) {
      // Realistically dense at the end, where the rows are counted; sparse before that, to keep the test fast.
      await writeSamples(db, vm.id, after(at), after(at + step), at < 38 * DAY ? 60 : 10);
      clock.set(after(at + step + MINUTE));
      await sampler.rollUp(clock.now());
      const rows = await rowsOf(db, vm.id);
      for (const kind of Object.keys(most) as (keyof Rows)[]) most[kind] = Math.max(most[kind], rows[kind]);
    }
    assert.deepEqual(await rowsOf(db, vm.id), { samples: 720, minutes: 48, five_minutes: 31 });
    assert.ok(most.samples <= 1080 && most.minutes <= 72 && most.five_minutes <= 32, JSON.stringify(most));

    const hour = async (daysAgo: number, stepMinutes: number) => {
      const from = after(end - daysAgo * DAY);
      return cpuPoints(api, vm.id, from, new Date(from.getTime() + HOUR), stepMinutes * 60);
    };
    assert.deepEqual(await hour(1, 1), hourOf(1));
    assert.deepEqual(await hour(1, 5), hourOf(5));
    assert.deepEqual(await hour(2, 5), hourOf(5));
    assert.deepEqual(await hour(5, 5), hourOf(5));
    assert.deepEqual(await hour(30, 5), hourOf(5));
    const month = await cpuPoints(api, vm.id, after(10 * DAY), after(end), 7200);
    assert.deepEqual(month, Array(360).fill(29.5));
  });

  await t.test('whole and again gives the same, by another node as well', async () => {
    const vm = await makeVm(api);
    const start = new Date(Math.ceil(clock.now().getTime() / DAY) * DAY);
    await writeSamples(db, vm.id, start, new Date(start.getTime() + DAY), 10);
    clock.set(new Date(start.getTime() + DAY + MINUTE));
    const contents = () =>
      db.query(sql`select * from metric_rollups where vm_id = ${vm.id} order by step_seconds, chunk_start`);
    const sampler = new MetricsSampler(api.services);
    await sampler.rollUp(clock.now());
    const once = await contents();
    assert.equal(once.length, 25);
    await sampler.rollUp(clock.now());
    await Promise.all([1, 2].map(() => new MetricsSampler(api.services).rollUp(clock.now())));
    assert.deepEqual(await contents(), once);
  });

  await t.test('a service that was down catches up on all that it had not rolled up', async () => {
    const vm = await makeVm(api);
    const start = new Date(Math.ceil(clock.now().getTime() / DAY) * DAY);
    await writeSamples(db, vm.id, start, new Date(start.getTime() + 2.5 * HOUR));
    clock.set(new Date(start.getTime() + 3 * DAY + HOUR));
    await new MetricsSampler(api.services).rollUp(clock.now());
    assert.deepEqual(await rowsOf(db, vm.id), { samples: 0, minutes: 0, five_minutes: 1 });
    const points = await cpuPoints(
      api,
      vm.id,
      new Date(start.getTime() + 2 * HOUR),
      new Date(start.getTime() + 3 * HOUR),
      300,
    );
    assert.deepEqual(points, [...hourOf(5).slice(0, 6), ...Array(6).fill(null)]);
  });

  await t.test('one reply joins daily, hourly and sampled data', async () => {
    const vm = await makeVm(api);
    const start = new Date(Math.ceil(clock.now().getTime() / DAY) * DAY);
    const end = new Date(start.getTime() + 3 * DAY + 5.5 * HOUR);
    await writeSamples(db, vm.id, start, end, 30);
    clock.set(end);
    await new MetricsSampler(api.services).rollUp(end);
    clock.advance(20_000);
    assert.deepEqual(await rowsOf(db, vm.id), { samples: 300, minutes: 53, five_minutes: 3 });
    const points = await cpuPoints(api, vm.id, start, end, 900);
    const quarters = [7, 22, 37, 52];
    assert.deepEqual(
      points,
      Array.from({ length: 77 * 4 + 2 }, (_, index) => quarters[index % 4]),
    );
  });

  await t.test('a deleted VM is not rolled up, and its remaining data is deleted', async () => {
    const vm = await makeVm(api);
    await new MetricsSampler(api.services).sample(clock.now());
    await updateVm(db, vm.id, { deleted_at: clock.now() }, clock.now());
    clock.advance(4 * HOUR);
    await new MetricsSampler(api.services).rollUp(clock.now());
    assert.deepEqual(await rowsOf(db, vm.id), { samples: 0, minutes: 0, five_minutes: 0 });
    assert.deepEqual(await db.query(sql`select 1 from vm_counters where vm_id = ${vm.id}`), []);
  });
});
