// Needs: the npm registry.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeOf } from './regular-expressions/check.ts';
import { linear } from './regular-expressions/lists.ts';

test('the recorded expressions are linear', () => {
  const worse = [...linear()].filter((expression) => timeOf(expression, null) !== 'linear');
  assert.deepEqual(worse, []);
});

test('the checker recognises non-linear expressions', () => {
  for (const expression of ['/\\s*,\\s*/', '/\\S+$/', '/(a+)+$/', '/^(?: (?:up|[a-z]+))*$/'])
    assert.equal(timeOf(expression, null), 'worse', expression);
});
