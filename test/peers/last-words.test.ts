import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { REPOSITORY } from '../support/source.ts';

/** Returns the output and the exit code of a process that logs its last words when nothing catches an error. */
function endOf(code: string) {
  const script = `
    import { logLastWords } from './server/platform/last-words.ts';
    import { PeerError } from './server/platform/peer/peer-error.ts';
    logLastWords();
    ${code}`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: REPOSITORY,
    encoding: 'utf8',
  });
  return { status, line: JSON.parse(stderr) };
}

test('an exception that nothing catches is logged with the peer, and ends the process', () => {
  const thrown =
    "setImmediate(() => { throw new Error('outer', { cause: new PeerError('a model', 'sent nonsense') }) });";
  const { status, line } = endOf(thrown);
  assert.equal(status, 1);
  assert.deepEqual(
    [line.level, line.peer, line.err.message, line.origin],
    ['fatal', 'a model', 'outer', 'uncaughtException'],
  );
  assert.match(line.err.stack, /outer/);
});

test('so is a rejection, with any value', () => {
  const { status, line } = endOf("Promise.reject('vk_0123456789abcdefghijklmnop');");
  assert.equal(status, 1);
  assert.equal(line.peer, undefined);
  assert.doesNotMatch(line.err.message, /0123456789abcdef/);
});
