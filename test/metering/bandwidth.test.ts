import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addTraffic } from '../../server/db/queries/vms/bandwidth.ts';
import { MetricsSampler } from '../../server/metering/sample-metrics.ts';
import { makeVm, openApi } from '../network/support.ts';

const GB = 1_000_000_000;

test('bandwidth', async (t) => {
  const api = await openApi(t);
  const { db, clock } = api.services;
  const bandwidth = (vm: { id: string }, query = '') => api.call('GET', `/v1/vm/${vm.id}/bandwidth${query}`);

  await t.test('a month is the sum of its days', async () => {
    clock.set(new Date('2026-03-10T12:00:00Z'));
    const vm = await makeVm(api, { bandwidth_gb: 3 });
    for (const [date, in_bytes, out_bytes] of [
      ['2026-02-28', 1, 2],
      ['2026-03-01', 5, 2 * GB],
      ['2026-03-02', 6, GB],
      ['2026-03-02', 1, GB / 2],
    ] as const) {
      await addTraffic(db, [{ vm_id: vm.id, date, in_bytes, out_bytes }]);
    }
    assert.deepEqual((await bandwidth(vm)).body.data, {
      period_start_at: '2026-03-01T00:00:00.000Z',
      period_end_at: '2026-04-01T00:00:00.000Z',
      in_bytes: 12,
      out_bytes: 3.5 * GB,
      included_bytes: 3 * GB,
      overage_bytes: 0.5 * GB,
      daily: [
        { date: '2026-03-01', in_bytes: 5, out_bytes: 2 * GB },
        { date: '2026-03-02', in_bytes: 7, out_bytes: 1.5 * GB },
      ],
    });
    const february = (await bandwidth(vm, '?month=2026-02')).body.data;
    assert.equal(february.period_end_at, '2026-03-01T00:00:00.000Z');
    assert.deepEqual(february.daily, [{ date: '2026-02-28', in_bytes: 1, out_bytes: 2 }]);
    assert.equal(february.overage_bytes, 0);
    assert.deepEqual((await bandwidth(vm, '?month=2025-12')).body.data.daily, []);
  });

  await t.test('an unmetered VM has no overage', async () => {
    const vm = await makeVm(api, { bandwidth_gb: null });
    await addTraffic(db, [{ vm_id: vm.id, date: '2026-03-01', in_bytes: 0, out_bytes: 9000 * GB }]);
    const { included_bytes, overage_bytes } = (await bandwidth(vm)).body.data;
    assert.deepEqual({ included_bytes, overage_bytes }, { included_bytes: null, overage_bytes: 0 });
  });

  await t.test('a month is written YYYY-MM and has begun', async () => {
    const vm = await makeVm(api);
    for (const month of [
      '2026-04',
      '2027-01',
      '2026-13',
      '2026-00',
      '2026-3',
      '26-03',
      '2026-03-01',
      'now',
      '',
    ]) {
      const { status, body } = await bandwidth(vm, `?month=${month}`);
      assert.equal(status, 422, month);
      assert.equal(body.error.details.fields[0].field, 'month');
    }
    assert.equal((await bandwidth(vm, '?month=2026-03')).status, 200);
  });

  await t.test('a reading at midnight belongs to the day that ends', async () => {
    clock.set(new Date('2026-03-31T23:59:50Z'));
    const vm = await makeVm(api);
    const sampler = new MetricsSampler(api.services);
    for (let round = 0; round < 3; round++) {
      await sampler.sample(clock.now());
      clock.advance(10_000);
    }
    const days = async (month: string) =>
      (await bandwidth(vm, `?month=${month}`)).body.data.daily.map(({ date }: { date: string }) => date);
    assert.deepEqual(await days('2026-03'), ['2026-03-31']);
    assert.deepEqual(await days('2026-04'), ['2026-04-01']);
    const { out_bytes } = (await bandwidth(vm, '?month=2026-04')).body.data;
    assert.ok(out_bytes > 0);
  });

  await t.test("another account's VM is not there", async () => {
    const vm = await makeVm(api);
    assert.equal(
      (await api.call('GET', `/v1/vm/${vm.id}/bandwidth`, undefined, await api.strangersKey())).status,
      404,
    );
  });
});
