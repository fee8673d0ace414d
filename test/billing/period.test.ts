import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addMonth, calendarMonth, restOf, secondsBetween } from '../../server/domain/billing/period.ts';

const date = (text: string) => new Date(text);
const instant = fc.date({
  min: date('2000-01-01T00:00:00Z'),
  max: date('2099-12-31T00:00:00Z'),
  noInvalidDate: true,
});
/** A month as sold, and an instant within it or close to it. */
const moment = fc.tuple(instant, fc.integer({ min: -86_400, max: 40 * 86_400 })).map(([startAt, offset]) => ({
  period: { startAt, endAt: addMonth(startAt, startAt.getUTCDate()) },
  now: new Date(startAt.getTime() + offset * 1000),
}));

test('a month later is the same day, or the last one of a shorter month', () => {
  let at = date('2027-12-31T10:20:30.456Z');
  const ends: string[] = [];
  for (let month = 0; month < 5; month++) {
    at = addMonth(at, 31);
    ends.push(at.toISOString());
  }
  assert.deepEqual(ends, [
    '2028-01-31T10:20:30.456Z',
    '2028-02-29T10:20:30.456Z',
    '2028-03-31T10:20:30.456Z',
    '2028-04-30T10:20:30.456Z',
    '2028-05-31T10:20:30.456Z',
  ]);
});

test('twelve months are a year, from any day', () => {
  fc.assert(
    fc.property(instant, (start) => {
      let at = start;
      for (let month = 0; month < 12; month++) {
        const next = addMonth(at, start.getUTCDate());
        assert.ok(next > at);
        at = next;
      }
      const isLeapDay = start.getUTCMonth() === 1 && start.getUTCDate() === 29;
      const year = new Date(start);
      year.setUTCFullYear(
        start.getUTCFullYear() + 1,
        start.getUTCMonth(),
        isLeapDay ? 28 : start.getUTCDate(),
      );
      assert.deepEqual(at, year);
    }),
  );
});

test('a calendar month runs from its first instant to the first of the next', () => {
  assert.deepEqual(calendarMonth(date('2026-12-31T23:59:59.999Z')), {
    startAt: date('2026-12-01T00:00:00Z'),
    endAt: date('2027-01-01T00:00:00Z'),
  });
  assert.deepEqual(calendarMonth(date('2027-01-01T00:00:00Z')).startAt, date('2027-01-01T00:00:00Z'));
});

test('seconds are whole and never negative', () => {
  assert.equal(secondsBetween(date('2026-01-01T00:00:00Z'), date('2026-01-01T00:00:01.999Z')), 1);
  assert.equal(secondsBetween(date('2026-01-01T00:00:01Z'), date('2026-01-01T00:00:00Z')), 0);
});

test('the rest of a period is between nothing and the whole', () => {
  fc.assert(
    fc.property(moment, ({ period, now }) => {
      const { remaining, length } = restOf(period, now);
      assert.equal(length, BigInt(secondsBetween(period.startAt, period.endAt)));
      assert.ok(remaining >= 0n && remaining <= length);
      assert.equal(restOf(period, period.startAt).remaining, length);
      assert.equal(restOf(period, period.endAt).remaining, 0n);
      assert.equal(restOf(period, new Date(period.endAt.getTime() + 1000)).remaining, 0n);
    }),
  );
});
