import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Averages } from '../../server/metering/averages.ts';
import { keptSince, sampledInterval } from '../../server/metering/retention.ts';
import { MAX_POINTS, metricsWindow, pointsOf } from '../../server/metering/window.ts';
import { ApiError, type FieldProblem } from '../../server/platform/errors.ts';

const NOW = new Date('2026-03-10T12:34:56Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ago = (ms: number) => new Date(NOW.getTime() - ms);

function refusal(query: Parameters<typeof metricsWindow>[0]): string {
  try {
    metricsWindow(query, NOW);
    return 'none';
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'validation_failed');
    const [{ field, code }] = error.details!.fields as [FieldProblem];
    return `${field} ${code}`;
  }
}

test('each resolution is kept by whole chunks', () => {
  assert.deepEqual(keptSince(NOW), {
    samples: new Date('2026-03-10T10:00:00Z'),
    minutes: new Date('2026-03-08T00:00:00Z'),
    fiveMinutes: new Date('2026-02-07T00:00:00Z'),
  });
});

test('a sample stands for the interval that has just ended, even if the timer is a moment early', () => {
  const interval = (time: string) =>
    sampledInterval(new Date(`2026-03-10T${time}Z`))
      .toISOString()
      .slice(11, 19);
  assert.equal(interval('12:00:10.000'), '12:00:00');
  assert.equal(interval('12:00:09.998'), '12:00:00');
  assert.equal(interval('12:00:19.400'), '12:00:00');
  assert.equal(interval('00:00:00.100'), '23:59:50');
});

test('the last hour is the default, at the resolution of the samples, up to the last complete one', () => {
  assert.deepEqual(metricsWindow({}, NOW), {
    start: new Date('2026-03-10T11:34:40Z'),
    end: new Date('2026-03-10T12:34:40Z'),
    stepSeconds: 10,
  });
});

test('the default step is the shortest usual one that fits', () => {
  const step = (range: number) => metricsWindow({ from: ago(range) }, NOW).stepSeconds;
  assert.equal(step(80 * 60_000), 10);
  assert.equal(step(2 * HOUR), 20);
  assert.equal(step(6 * HOUR), 60);
  assert.equal(step(DAY), 300);
  assert.equal(step(7 * DAY), 1800);
  assert.equal(step(30 * DAY), 7200);
});

test('any range without a step fits, begins and ends on a step, and covers the request', () => {
  const kept = NOW.getTime() - keptSince(NOW).fiveMinutes.getTime();
  fc.assert(
    fc.property(fc.integer({ min: 20_000, max: kept }), fc.integer({ min: 10_000, max: kept }), (a, b) => {
      fc.pre(a !== b);
      const [from, to] = [ago(Math.max(a, b)), ago(Math.min(a, b))];
      const window = metricsWindow({ from, to }, NOW);
      assert.ok(pointsOf(window) >= 1 && pointsOf(window) <= MAX_POINTS);
      assert.equal(window.start.getTime() % (window.stepSeconds * 1000), 0);
      assert.equal(window.end.getTime() % (window.stepSeconds * 1000), 0);
      const settled = new Date('2026-03-10T12:34:40Z');
      assert.ok(window.start <= from && window.end >= (to < settled ? to : settled));
    }),
  );
});

test('a step is no finer than the data kept of its beginning', () => {
  assert.equal(refusal({ from: ago(2 * HOUR), to: ago(HOUR), step: 10 }), 'none');
  assert.equal(refusal({ from: ago(3 * HOUR), to: ago(2 * HOUR), step: 10 }), 'step too_precise');
  assert.equal(refusal({ from: ago(3 * HOUR), step: 60 }), 'none');
  assert.equal(refusal({ from: ago(3 * HOUR), step: 90 }), 'step too_precise');
  assert.equal(refusal({ from: ago(4 * DAY), to: ago(3 * DAY), step: 60 }), 'step too_precise');
  assert.equal(refusal({ from: ago(4 * DAY), to: ago(3 * DAY), step: 600 }), 'none');
});

test('too many points, a range that is empty or in the future, and a time long past are refused', () => {
  assert.equal(refusal({ from: ago(2 * HOUR), step: 10 }), 'step too_many');
  assert.equal(refusal({ from: ago(HOUR), to: ago(HOUR) }), 'from conflict');
  assert.equal(refusal({ from: ago(HOUR), to: ago(2 * HOUR) }), 'from conflict');
  assert.equal(refusal({ from: ago(-HOUR), to: ago(-2 * HOUR) }), 'from conflict');
  assert.equal(refusal({ from: ago(40 * DAY) }), 'from out_of_range');
  assert.deepEqual(metricsWindow({ to: ago(-DAY) }, NOW), metricsWindow({}, NOW));
});

test('averages weigh values by the time they stand for, and leave gaps empty', () => {
  const start = new Date('2026-03-10T12:00:00Z');
  const averages = new Averages({ start, end: new Date(start.getTime() + 180_000), stepSeconds: 60 });
  const at = (seconds: number) => start.getTime() + seconds * 1000;
  averages.add(at(0), 10, 50_000);
  averages.add(at(50), 70, 10_000);
  averages.add(at(120), 1 / 3, 10_000);
  averages.add(at(130), null, 10_000);
  averages.add(at(-10), 1000, 10_000);
  averages.add(at(180), 1000, 10_000);
  const epoch = start.getTime() / 1000;
  assert.deepEqual(averages.points(), [
    [epoch, 20],
    [epoch + 60, null],
    [epoch + 120, 0.333],
  ]);
});
