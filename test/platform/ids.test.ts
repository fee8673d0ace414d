import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../server/platform/clock.ts';
import { newId } from '../../server/platform/ids.ts';

test('an id names its type and cannot be guessed', () => {
  const clock = new ManualClock();
  const ids = Array.from({ length: 2_000 }, () => newId('vm', clock));
  for (const id of ids) assert.match(id, /^vm_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.equal(new Set(ids.map((id) => id.slice(13))).size, ids.length);
});

test('ids sort, byte by byte, by the time they were made', () => {
  const clock = new ManualClock('1999-12-31T23:59:59.999Z');
  const ids: string[] = [];
  for (const step of [1, 1, 31, 32, 1_000, 86_400_000, 31 * 86_400_000, 40 * 365 * 86_400_000]) {
    ids.push(newId('ord', clock));
    clock.advance(step);
  }
  assert.deepEqual([...ids].sort(), ids);
});
