import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addMonth,
  calendarMonth,
  type Period,
  remainingDebit,
  secondsBetween,
  unusedCredit,
} from '../../server/domain/billing/period.ts';

const date = (text: string) => new Date(text);
const instant = fc.date({
  min: date('2000-01-01T00:00:00Z'),
  max: date('2099-12-31T00:00:00Z'),
  noInvalidDate: true,
});
const price = fc.bigInt({ min: 0n, max: 10n ** 9n });
/** A month as it is sold, and an instant around it. */
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

test('half a month is half the price: the credit rounded down, the debit half up', () => {
  const period: Period = { startAt: date('2026-04-01T00:00:00Z'), endAt: date('2026-05-01T00:00:00Z') };
  const now = date('2026-04-16T00:00:00Z');
  assert.equal(unusedCredit(399n, period, now), 199n);
  assert.equal(remainingDebit(399n, period, now), 200n);
});

test('the whole period is worth its price, and what lies behind is worth nothing', () => {
  fc.assert(
    fc.property(price, moment, (full, { period }) => {
      for (const share of [unusedCredit, remainingDebit]) {
        assert.equal(share(full, period, period.startAt), full);
        assert.equal(share(full, period, new Date(period.startAt.getTime() - 1000)), full);
        assert.equal(share(full, period, period.endAt), 0n);
        assert.equal(share(full, period, new Date(period.endAt.getTime() + 1000)), 0n);
      }
    }),
  );
});

test('a credit never exceeds the debit of the same rest, nor grows as time passes', () => {
  fc.assert(
    fc.property(price, moment, fc.nat(10 ** 9), (full, { period, now }, laterMs) => {
      const credit = unusedCredit(full, period, now);
      const debit = remainingDebit(full, period, now);
      assert.ok(credit >= 0n && credit <= debit && debit <= full);
      assert.ok(debit - credit <= 1n);
      assert.ok(unusedCredit(full, period, new Date(now.getTime() + laterMs)) <= credit);
    }),
  );
});
