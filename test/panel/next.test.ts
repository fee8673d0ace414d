import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextOf } from '../../panel/src/shell/next.ts';
import { ACCEPTED_ELSEWHERE, REFUSED_ELSEWHERE } from './browser/support/elsewhere.ts';

test('the page to open afterwards is a path of this site', () => {
  assert.deepEqual(nextOf({ next: '/machines/vm_1?tab=network#top' }), {
    next: '/machines/vm_1?tab=network#top',
  });
  for (const next of REFUSED_ELSEWHERE) assert.deepEqual(nextOf({ next }), {}, next);
  // A browser follows these in test/panel/browser/security.full.test.ts.
  for (const next of ACCEPTED_ELSEWHERE) assert.deepEqual(nextOf({ next }), { next });
  for (const next of [undefined, null, ['/machines'], { a: '/machines' }, 1])
    assert.deepEqual(nextOf({ next }), {});
});
