import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failures } from '../../server/platform/failures.ts';
import { createLogger } from '../../server/platform/logging.ts';

function setUp() {
  const lines: { msg: string; subject: string }[] = [];
  const logger = createLogger({ logLevel: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const failures = new Failures({ logger, metrics: { taskFailed() {} } });
  const fail = (subject: string) =>
    failures.attempt('renew', async () => Promise.reject(new Error('no')), subject);
  return { lines, failures, fail };
}

test('the beginning and the end of a failure are logged', async () => {
  const { lines, failures, fail } = setUp();
  for (let n = 0; n < 3; n++) assert.equal(await fail('vm_1'), false);
  assert.equal(await failures.attempt('renew', async () => {}, 'vm_1'), true);
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    ['task failed', 'task has recovered'],
  );
});

test('failures of deleted things are forgotten when there are many', async () => {
  const { lines, fail } = setUp();
  await fail('gone');
  for (let n = 0; n < 1_000; n++) await fail(`vm_${n}`);
  lines.length = 0;
  await fail('vm_999');
  await fail('gone');
  assert.deepEqual(
    lines.map(({ subject }) => subject),
    ['gone'],
  );
});
