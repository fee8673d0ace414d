import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect } from './regular-expressions/collect.ts';
import { linear } from './regular-expressions/lists.ts';
import { BUILDERS, REVIEWED } from './regular-expressions/reviewed.ts';

// A single header must not block a node: a match that backtracks over text from others takes seconds for 16 KB. After a
// change: node test/laws/regular-expressions/record.ts
const { expressions, builders } = collect();
const recorded = linear();

test('every regular expression that may meet untrusted text is linear, or reviewed', () => {
  const unknown = [...expressions]
    .filter(([expression]) => !recorded.has(expression) && !Object.hasOwn(REVIEWED, expression))
    .map(([expression, paths]) => `${expression}  ${[...paths].join(' ')}`);
  assert.deepEqual(unknown, [], 'record them by test/laws/regular-expressions/record.ts');
});

test('a file that builds expressions from parts is reviewed', () => {
  const unknown = [...builders].filter((path) => !Object.hasOwn(BUILDERS, path));
  assert.deepEqual(unknown, []);
});

test('no entry outlives its expression', () => {
  const stale = [
    ...[...recorded, ...Object.keys(REVIEWED)].filter((expression) => !expressions.has(expression)),
    ...Object.keys(BUILDERS).filter((path) => !builders.has(path)),
    ...[...recorded].filter((expression) => Object.hasOwn(REVIEWED, expression)),
  ];
  assert.deepEqual(stale, []);
});
