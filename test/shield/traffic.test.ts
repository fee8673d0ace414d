import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EdgeSampler } from '../../server/shield/sample-edge.ts';
import { openShield, read, type TestTarget } from './support.ts';

const SECOND = 1000;
const HOUR = 3_600_000;

interface Series {
  start_at: string;
  step_seconds: number;
  series: Record<string, { unit: string; points: [number, number | null][] }>;
}

test('edge traffic', async (t) => {
  const shield = await openShield(t);
  const { api, edge } = shield;
  const { clock, db } = api.services;
  clock.set(new Date(Math.ceil(clock.now().getTime() / HOUR) * HOUR));
  const sampler = new EdgeSampler({ db, edge });
  const [one, two] = [await shield.target(), await shield.target()];
  const second = await shield.target({ tenantId: one.tenantId });
  const start = clock.now();
  const run = async (rounds: number) => {
    for (let round = 0; round < rounds; round++) {
      clock.advance(10 * SECOND);
      await sampler.sample(clock.now());
    }
  };
  const traffic = (target: TestTarget, query: string) =>
    read<Series>(api, `${target.tenant}/traffic?from=${start.toISOString()}&${query}`);
  await sampler.sample(start);
  await run(3);
  await api.call('POST', one.rules, { action: 'block', protocol: 'udp' });
  await shield.reconciler.idle();
  await shield.attack(one, 'udp_flood', 30_000, 60);
  const totals = async () => new Map((await edge.readTotals()).rows.map((row) => [row.id, row]));
  const before = await totals();
  await run(3);
  const after = await totals();
  clock.advance(10 * SECOND);

  await t.test('received traffic is exactly the sum of passed and dropped traffic', async () => {
    const { series, step_seconds } = await traffic(one, `target_id=${one.id}&step=10`);
    assert.equal(step_seconds, 10);
    assert.deepEqual(Object.keys(series), [
      'in_bps',
      'in_pps',
      'passed_bps',
      'passed_pps',
      'dropped_bps',
      'dropped_pps',
      'out_bps',
    ]);
    for (const unit of ['bps', 'pps']) {
      for (const [index, [, all]] of series[`in_${unit}`]!.points.entries()) {
        const [passed, dropped] = ['passed', 'dropped'].map(
          (side) => series[`${side}_${unit}`]!.points[index]![1],
        );
        assert.equal(all, passed! + dropped!);
      }
    }
    const dropped = series.dropped_pps!.points.map(([, value]) => value!);
    assert.deepEqual(dropped.slice(0, 3), [0, 0, 0]);
    for (const value of dropped.slice(3)) assert.ok(value >= 30_000 && value < 32_000, `${value}`);
    const counted = after.get(one.id)!.in.packets - before.get(one.id)!.in.packets;
    const shown = series.in_pps!.points.slice(3).reduce((sum, [, value]) => sum + value! * 10, 0);
    assert.ok(Math.abs(shown / counted - 1) < 1e-3, `${shown} ${counted}`);
    assert.ok(series.out_bps!.points.every(([, value]) => value! > 0));
  });

  await t.test('a tenant is the sum of its targets, and of no others', async () => {
    const all = (await traffic(one, 'step=10')).series.in_pps!.points;
    const parts = await Promise.all(
      [one, second].map(
        async ({ id }) => (await traffic(one, `target_id=${id}&step=10`)).series.in_pps!.points,
      ),
    );
    for (const [index, [, value]] of all.entries()) {
      const sum = parts.reduce((total, points) => total + points[index]![1]!, 0);
      assert.ok(Math.abs(value! - sum) <= 2, `${value} ${sum}`);
    }
    for (const id of [two.id, 'tgt_none']) {
      const { status } = await api.call('GET', `${one.tenant}/traffic?target_id=${id}`);
      assert.equal(status, 422);
    }
  });

  await t.test('hours become minutes, as metrics do; a gap stays one', async () => {
    clock.advance(5 * HOUR);
    await sampler.sample(clock.now());
    await sampler.rollUp(clock.now());
    const end = new Date(start.getTime() + 120 * SECOND).toISOString();
    const { series } = await traffic(one, `target_id=${one.id}&step=60&to=${end}`);
    const [first, gap] = series.dropped_pps!.points;
    assert.ok(Math.abs(first![1]! - 15_100) < 500, `${first![1]}`);
    assert.equal(gap![1], null);
  });
});
