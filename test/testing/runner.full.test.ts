import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { REPOSITORY } from '../support/source.ts';

const fixture = (name: string) => `test/testing/fixtures/${name}.ts`;

/** Runs the runner on fixtures; returns whether all passed, and the output. */
function run(...names: string[]): Promise<{ passed: boolean; output: string }> {
  const { NODE_TEST_CONTEXT: _, VAUBAN_TEST_FILES: __, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['scripts/test.ts', '--db', 'pglite', ...names],
      { cwd: REPOSITORY, env },
      (error, stdout, stderr) => resolve({ passed: error === null, output: stdout + stderr }),
    );
  });
}

test('files that share processes are distinguished: failures, load errors, skipped tests', async () => {
  const names = ['passes', 'fails', 'throws', 'skips', 'passes', 'fails', 'throws', 'skips'];
  const { passed, output } = await run(...names.map(fixture));
  assert.ok(!passed);
  const lines = output.split('\n').filter((line) => /^(ok|FAILED) /.test(line));
  assert.equal(lines.length, names.length, output);
  const of = (name: string) =>
    lines.filter((line) => line.includes(fixture(name))).map((line) => line.replace(/ +\d+\.\d s/, ''));
  assert.deepEqual(of('passes'), Array(2).fill(`ok  ${fixture('passes')}  3 passed`));
  assert.deepEqual(of('fails'), Array(2).fill(`FAILED  ${fixture('fails')}  0 passed, 1 failed`));
  assert.deepEqual(of('throws'), Array(2).fill(`FAILED  ${fixture('throws')}  0 passed, 1 failed`));
  assert.deepEqual(of('skips'), Array(2).fill(`ok  ${fixture('skips')}  0 passed, 2 skipped`));
  assert.match(output, /✖ a sum\n {4}test\/testing\/fixtures\/fails\.ts:4\n {6}AssertionError/);
  assert.match(output, /not even loaded/);
  assert.match(output, /^skipped\n {5}4 {2}this is the earth$/m);
  assert.match(output, /^6 passed, 4 failed, 4 skipped$/m);
});

test('a process that ends too early fails its file, and those that it had not reached', async () => {
  const names = ['exits', 'passes', 'exits', 'passes', 'exits', 'passes', 'exits', 'passes'];
  const { passed, output } = await run(...names.map(fixture));
  assert.ok(!passed);
  const lines = output.split('\n').filter((line) => /^(ok|FAILED) /.test(line));
  assert.equal(lines.length, names.length, output);
  assert.equal(lines.filter((line) => line.startsWith('FAILED') && line.includes('exits')).length, 4, output);
  assert.match(output, /was not run/);
});

test('a test that ends the process with success fails its file, because the tests behind it did not run', async () => {
  const { passed, output } = await run(fixture('ends'));
  assert.ok(!passed, output);
  assert.match(output, /^FAILED .*ends\.ts {2}1 passed, 1 failed$/m);
  assert.match(output, /the process ended before its tests had/);
});

test('a file without tests fails', async () => {
  const alone = await run(fixture('empty'));
  assert.ok(!alone.passed, alone.output);
  assert.match(alone.output, /it has no tests/);
  const beside = await run(...Array(8).fill(fixture('empty')));
  assert.ok(!beside.passed, beside.output);
  assert.match(beside.output, /^0 passed, 8 failed, 0 skipped$/m);
});

test('a file that leaves a timer fails, and a single file is listed test by test', async () => {
  const { passed, output } = await run(fixture('leaks'));
  assert.ok(!passed);
  assert.match(output, /leak: still open after the tests: .*Timeout/);
  assert.match(output, /✔ a timer is left \(\d+ ms\)/);
});

test('a name without matches is an error that suggests where there are some', async () => {
  const { passed, output } = await run('kill-sweep');
  assert.ok(!passed);
  assert.match(output, /no fast test matches kill-sweep; there are some of: full/);
  const beside = await run('platform/cidr', 'no-such-name');
  assert.ok(!beside.passed, beside.output);
  assert.match(beside.output, /no fast test matches no-such-name/);
  const absent = await run('test/no/such.test.ts');
  assert.match(absent.output, /test\/no\/such\.test\.ts does not exist/);
});

test('a file is run once by any of its names, and by its absolute path', async () => {
  const twice = await run('platform/cidr', 'test/platform/cidr');
  assert.ok(twice.passed, twice.output);
  assert.match(twice.output, /^1 files in /m);
  const absolute = await run(join(REPOSITORY, fixture('passes')));
  assert.ok(absolute.passed, absolute.output);
  assert.match(absolute.output, /^3 passed, 0 failed, 0 skipped$/m);
});
