import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ordinal, readableTime } from '../../server/platform/readable-time.ts';

test('a time in a sentence has a day, a month in words and a time in UTC', () => {
  assert.equal(readableTime(new Date('2026-02-01T00:00:59.999Z')), '1 February 2026 at 00:00 UTC');
  assert.equal(readableTime(new Date('2026-12-31T23:59:00+01:00')), '31 December 2026 at 22:59 UTC');
});

test('an ordinal has the ending of its last digit, except in the teens', () => {
  const counts = [1, 2, 3, 4, 10, 11, 12, 13, 21, 22, 103, 111, 112];
  const expected = '1st 2nd 3rd 4th 10th 11th 12th 13th 21st 22nd 103rd 111th 112th';
  assert.equal(counts.map(ordinal).join(' '), expected);
});
