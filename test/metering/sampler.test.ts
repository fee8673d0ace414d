import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { updateVm } from '../../server/db/queries/vms/vms.ts';
import { MetricsSampler } from '../../server/metering/sample-metrics.ts';
import { makeVm, openApi } from '../network/support.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const GROUPS = {
  cpu: ['cpu_percent'],
  ram: ['ram_used_bytes'],
  disk: ['disk_read_bytes_per_second', 'disk_write_bytes_per_second', 'disk_read_iops', 'disk_write_iops'],
  network: ['net_in_bps', 'net_out_bps', 'net_in_pps', 'net_out_pps'],
};

test('sampling', async (t) => {
  const api = await openApi(t);
  const { db, clock, compute } = api.services;
  const sampler = new MetricsSampler(api.services);

  /** Samples every ten seconds for a while, except in the rounds listed in `skips`. */
  async function run(rounds: number, skips: number[] = []): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      clock.advance(10 * SECOND);
      if (!skips.includes(round)) await sampler.sample(clock.now());
    }
  }
  const metrics = async (vm: { id: string }, query = '') => {
    const { status, body } = await api.call('GET', `/v1/vm/${vm.id}/metrics${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data;
  };
  const bandwidth = async (vm: { id: string }, query = '') =>
    (await api.call('GET', `/v1/vm/${vm.id}/bandwidth${query}`)).body.data;
  const query = (from: Date, to: Date) => `?from=${from.toISOString()}&to=${to.toISOString()}&step=10`;

  await t.test("the engine's counters become ten series", async () => {
    const vm = await makeVm(api);
    const start = clock.now();
    await sampler.sample(start);
    const before = (await compute.sample([vm.id]))[0]!;
    await run(3);
    const after = (await compute.sample([vm.id]))[0]!;
    clock.advance(10 * SECOND);
    const data = await metrics(vm, query(start, clock.now()));
    assert.equal(data.start_at, start.toISOString());
    assert.equal(data.end_at, new Date(start.getTime() + 30 * SECOND).toISOString());
    assert.equal(data.step_seconds, 10);
    assert.deepEqual(Object.keys(data.series), Object.values(GROUPS).flat());
    const { unit, points } = data.series.net_out_bps;
    assert.equal(unit, 'bits_per_second');
    const epoch = start.getTime() / SECOND;
    assert.deepEqual(
      points.map(([at]: [number]) => at),
      [epoch, epoch + 10, epoch + 20],
    );
    const sent = points.reduce((sum: number, [, bps]: [number, number]) => sum + (bps / 8) * 10, 0);
    assert.ok(Math.abs(sent / (after.netOutBytes - before.netOutBytes) - 1) < 1e-6);
    for (const [, percent] of data.series.cpu_percent.points) assert.ok(percent > 0 && percent <= 100);
  });

  await t.test('a caller may take some of the groups', async () => {
    const vm = await makeVm(api);
    for (const [group, names] of Object.entries(GROUPS)) {
      assert.deepEqual(Object.keys((await metrics(vm, `?metrics=${group}`)).series), names);
    }
    const some = await metrics(vm, '?metrics=ram,cpu,cpu');
    assert.deepEqual(Object.keys(some.series), ['cpu_percent', 'ram_used_bytes']);
    for (const wrong of ['gpu', '', 'cpu,', 'cpu;ram']) {
      assert.equal((await api.call('GET', `/v1/vm/${vm.id}/metrics?metrics=${wrong}`)).status, 422, wrong);
    }
  });

  await t.test('an unmeasured time is a gap, and loses no traffic', async () => {
    const vm = await makeVm(api);
    const start = clock.now();
    await sampler.sample(start);
    await run(12, [3, 6, 7, 8]);
    clock.advance(10 * SECOND);
    const { points } = (await metrics(vm, query(start, clock.now()))).series.net_out_bps;
    const gaps = points.flatMap(([, value]: [number, number | null], index: number) =>
      value === null ? [index] : [],
    );
    // Missed rounds are empty; so is the round that ended a long silence, because its rate would cover all of the
    // silence.
    assert.deepEqual(gaps, [3, 6, 7, 8, 9]);
    const { netOutBytes, netInBytes } = (await compute.sample([vm.id]))[0]!;
    await sampler.sample(clock.now());
    const { out_bytes, in_bytes } = await bandwidth(vm);
    assert.deepEqual({ out_bytes, in_bytes }, { out_bytes: netOutBytes, in_bytes: netInBytes });
  });

  await t.test('a VM that is off is not sampled', async () => {
    const vm = await makeVm(api);
    await run(2);
    await compute.powerOff(vm.id);
    await updateVm(db, vm.id, { status: 'stopped' }, clock.now());
    const off = clock.now();
    await run(3);
    await compute.start(vm.id);
    await updateVm(db, vm.id, { status: 'running' }, clock.now());
    await run(2);
    clock.advance(10 * SECOND);
    const { series } = await metrics(vm, query(off, clock.now()));
    const known = (name: string) =>
      series[name].points.map(([, value]: [number, number | null]) => value !== null);
    // Back after a silence: memory is known at once, a rate only from the second sample on.
    assert.deepEqual(known('ram_used_bytes'), [false, false, false, true, true]);
    assert.deepEqual(known('cpu_percent'), [false, false, false, false, true]);
  });

  await t.test('two nodes that sample at once count once', async () => {
    const vm = await makeVm(api);
    const other = new MetricsSampler(api.services);
    for (let round = 0; round < 5; round++) {
      clock.advance(10 * SECOND);
      await Promise.all([sampler.sample(clock.now()), other.sample(clock.now())]);
    }
    const { netOutBytes } = (await compute.sample([vm.id]))[0]!;
    assert.equal((await bandwidth(vm)).out_bytes, netOutBytes);
    const [{ n }] = (await db.query<{ n: number }>(
      sql`select count(*)::int as n from metric_samples where vm_id = ${vm.id}`,
    )) as [{ n: number }];
    assert.equal(n, 5);
  });

  await t.test('an unreachable engine leaves a gap, and the next round continues', async () => {
    const vm = await makeVm(api);
    await run(2);
    const { sample } = compute;
    compute.sample = async () => {
      throw new Error('away');
    };
    await run(1);
    compute.sample = sample;
    const start = clock.now();
    await run(1);
    clock.advance(10 * SECOND);
    const { points } = (await metrics(vm, query(new Date(start.getTime() - 10 * SECOND), clock.now()))).series
      .cpu_percent;
    assert.deepEqual(
      points.map(([, value]: [number, number | null]) => value === null),
      [true, false],
    );
  });

  await t.test('hours become minutes, and a gap stays a gap', async () => {
    const vm = await makeVm(api, { hostname: 'hours' });
    clock.set(new Date(Math.ceil(clock.now().getTime() / HOUR) * HOUR));
    const start = clock.now();
    await sampler.sample(start);
    await run(30, [12, 13, 14, 15, 16, 17, 18]);
    const cpu = (data: { series: { cpu_percent: { points: unknown[] } } }) => data.series.cpu_percent.points;
    const range = `?from=${start.toISOString()}&to=${new Date(start.getTime() + 5 * MINUTE).toISOString()}&step=60`;
    clock.advance(10 * SECOND);
    const fine = cpu(await metrics(vm, range));
    clock.advance(4 * HOUR);
    await sampler.rollUp(clock.now());
    const samples = sql`select 1 from metric_samples where vm_id = ${vm.id}`;
    assert.deepEqual(await db.query(samples), []);
    const rolledUp = cpu(await metrics(vm, range)) as [number, number | null][];
    assert.deepEqual(
      rolledUp.map(([at]) => at),
      (fine as [number][]).map(([at]) => at),
    );
    for (const [index, [, value]] of rolledUp.entries()) {
      const [, exact] = fine[index] as [number, number | null];
      // Stored with seven digits.
      if (exact === null) assert.equal(value, null);
      else assert.ok(Math.abs(value! - exact) < 0.002, `${value} ${exact}`);
    }
    assert.equal(rolledUp[2]![1], null);
  });
});
