import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { complaint, type Failure, failedTests } from './failed-tests.ts';
import { REPOSITORY } from './source.ts';

const failure = (name: string, message = 'boom'): Failure => ({
  engine: 'postgres',
  name,
  file: join(REPOSITORY, 'test/db/engines.test.ts'),
  line: 7,
  message,
});

test('a failed test is named with its place, its engine and the reason', () => {
  assert.equal(
    failedTests([failure('a row is there', '1 == 2\nactual')]),
    'failed tests\n  test/db/engines.test.ts:7 on postgres: a row is there\n      1 == 2\n      actual\n',
  );
});

test('where many failed, the rest is counted; where none did, nothing is said', () => {
  const many = failedTests(Array.from({ length: 23 }, (_, index) => failure(`number ${index}`)));
  assert.equal(many.split('on postgres').length - 1, 20);
  assert.match(many, /and 3 more\n$/);
  assert.equal(failedTests([]), '');
});

test('why a file failed outside its tests is found in what it wrote', () => {
  const thrown = `(node:7) Warning: experimental
node:internal/test_runner/harness:124
      throw err;
      ^

Error: member 2 did not start
    at startMember (test/support/incus/members.ts:30:44)`;
  assert.match(complaint(thrown)!, /^Error: member 2 did not start\n {4}at startMember/);
  assert.equal(
    complaint('leak: still open after the tests: Timeout'),
    'leak: still open after the tests: Timeout',
  );
  assert.equal(complaint('(node:7) Warning: experimental'), undefined);
});
