import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { complaint, type FileResult } from '../../scripts/testing/events.ts';
import { fileReport, skipReasons, summary } from '../../scripts/testing/report.ts';
import { REPOSITORY } from '../support/source.ts';

const result = (more: Partial<FileResult> = {}): FileResult => ({
  file: 'test/db/engines.full.test.ts',
  engine: 'postgres',
  seconds: 1.25,
  passed: 3,
  skipped: [],
  failures: [],
  tests: [],
  diagnostics: [],
  output: '',
  ...more,
});

const failure = (name: string, message = 'boom') => ({
  name,
  file: join(REPOSITORY, 'test/db/engines.full.test.ts'),
  line: 7,
  error: new Error(message),
});

test('a passed file is one line, whatever its tests printed', () => {
  const text = fileReport(result({ diagnostics: ['seed 7'], output: 'noise', skipped: ['no server'] }));
  assert.equal(text, 'ok        1.3 s  test/db/engines.full.test.ts  3 passed, 1 skipped\n');
});

test('a failed test is shown in full: its place, its error with the stack, and the output of the file', () => {
  const failures = [failure('a row is there', '1 == 2\nactual')];
  const text = fileReport(result({ failures, output: 'a hint\n', diagnostics: ['seed 7'] }), {
    engine: true,
  });
  assert.match(text, /^FAILED postgres +1\.3 s {2}test\/db\/engines\.full\.test\.ts {2}3 passed, 1 failed$/m);
  assert.match(
    text,
    /✖ a row is there\n {4}test\/db\/engines\.full\.test\.ts:7\n {6}Error: 1 == 2\n {6}actual\n/,
  );
  assert.match(text, /report\.test\.ts:\d+/, 'the stack');
  assert.match(text, /seed 7/);
  assert.match(text, /a hint/);
});

test('the end says why tests were skipped, lists what failed, and closes with the counts', () => {
  const skipped = ['no server', 'no browser', 'no server'];
  assert.deepEqual(skipReasons([result({ skipped })]), [
    ['no server', 2],
    ['no browser', 1],
  ]);
  const text = summary([result({ skipped }), result({ failures: [failure('a row is there')] })], 61.4);
  assert.equal(
    text,
    `skipped
     2  no server
     1  no browser
failed
  test/db/engines.full.test.ts:7 on postgres: a row is there: boom
2 files in 61 s
6 passed, 1 failed, 3 skipped
`,
  );
});

test('of many failures the list shows twenty and counts the rest', () => {
  const failures = Array.from({ length: 23 }, (_, index) => failure(`number ${index}`));
  const text = summary([result({ failures })], 1);
  assert.equal(text.split('on postgres').length - 1, 20);
  assert.match(text, /and 3 more\n/);
});

test("the reason of a failure outside of tests is found in the file's output", () => {
  const thrown = `(node:7) Warning: experimental
node:internal/test_runner/harness:124
      throw err;
      ^

Error: member 2 did not start
    at startMember (test/support/incus/members.ts:30:44)`;
  assert.match(complaint(thrown)!, /^Error: member 2 did not start\n {4}at startMember/);
  const leak = 'leak: still open after the tests: Timeout';
  assert.equal(complaint(leak), leak);
  assert.equal(complaint('(node:7) Warning: experimental'), undefined);
});
