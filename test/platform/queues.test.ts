import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { KeyedQueue } from '../../server/platform/keyed-queue.ts';
import { QueueFullError, SerialQueue } from '../../server/platform/serial-queue.ts';

/** Returns work that notes its beginning and its end, which the test decides. */
function workOf(log: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const work = async () => {
    log.push(`${name} began`);
    try {
      return await promise;
    } finally {
      log.push(`${name} ended`);
    }
  };
  return { work, end: () => resolve(name), fail: () => reject(new Error(`${name} failed`)) };
}

test('a serial queue runs one piece of work at a time, in order, and a failure stops none of the others', async () => {
  const queue = new SerialQueue();
  const log: string[] = [];
  const [a, b, c] = [workOf(log, 'a'), workOf(log, 'b'), workOf(log, 'c')];
  const outcomes = [queue.run(a.work), queue.run(b.work), queue.run(c.work)];
  c.end();
  await turn();
  assert.deepEqual(log, ['a began']);
  a.fail();
  await turn();
  assert.deepEqual(log, ['a began', 'a ended', 'b began']);
  assert.equal(queue.size, 2);
  b.end();
  const results = await Promise.allSettled(outcomes);
  assert.deepEqual(log.slice(3), ['b ended', 'c began', 'c ended']);
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message)),
    ['a failed', 'b', 'c'],
  );
  assert.equal(queue.size, 0);
});

test('work that throws synchronously fails like any other', async () => {
  const queue = new SerialQueue();
  const fail = () => {
    throw new Error('at once');
  };
  await assert.rejects(queue.run(fail), /at once/);
  assert.equal(await queue.run(() => 1), 1);
});

test('a full queue refuses more work, and takes some again once there is less', async () => {
  const queue = new SerialQueue(2);
  const log: string[] = [];
  const [a, b] = [workOf(log, 'a'), workOf(log, 'b')];
  const outcomes = [queue.run(a.work), queue.run(b.work)];
  await assert.rejects(
    queue.run(() => log.push('never')),
    QueueFullError,
  );
  a.end();
  await outcomes[0];
  const more = queue.run(() => log.push('more'));
  b.end();
  await more;
  assert.deepEqual(log, ['a began', 'a ended', 'b began', 'b ended', 'more']);
});

test('a serial queue is idle once nothing runs or waits, including work added in the meantime', async () => {
  const queue = new SerialQueue();
  const log: string[] = [];
  const [a, b] = [workOf(log, 'a'), workOf(log, 'b')];
  await queue.idle();
  void queue.run(a.work);
  const idle = queue.idle().then(() => log.push('idle'));
  void queue.run(b.work);
  a.end();
  await turn();
  b.end();
  await idle;
  assert.deepEqual(log, ['a began', 'a ended', 'b began', 'b ended', 'idle']);
});

test('a keyed queue runs one piece of work at a time per key, and keys in parallel', async () => {
  const queue = new KeyedQueue();
  const log: string[] = [];
  const [a1, a2, b1] = [workOf(log, 'a1'), workOf(log, 'a2'), workOf(log, 'b1')];
  const outcomes = [queue.run('a', a1.work), queue.run('a', a2.work), queue.run('b', b1.work)];
  await turn();
  assert.deepEqual(log, ['a1 began', 'b1 began']);
  a1.fail();
  await turn();
  assert.deepEqual(log.slice(2), ['a1 ended', 'a2 began'], 'a failure stops nothing');
  a2.end();
  b1.end();
  await Promise.allSettled(outcomes);
});

test('a keyed queue forgets a key once its work has ended', async () => {
  const queue = new KeyedQueue();
  const log: string[] = [];
  const [a, b] = [workOf(log, 'a'), workOf(log, 'b')];
  const first = queue.run('a', a.work);
  const second = queue.run('b', b.work);
  const third = queue.run('a', () => log.push('third'));
  assert.equal(queue.keys, 2);
  b.fail();
  await assert.rejects(second);
  assert.equal(queue.keys, 1);
  a.end();
  await first;
  assert.equal(queue.keys, 1, 'more of it is waiting');
  await third;
  assert.equal(queue.keys, 0);
});

test('a keyed queue is bounded, and idle once no key has work', async () => {
  const queue = new KeyedQueue(1);
  const log: string[] = [];
  const a = workOf(log, 'a');
  void queue.run('a', a.work);
  await assert.rejects(
    queue.run('a', () => log.push('never')),
    QueueFullError,
  );
  await queue.run('b', () => log.push('b'));
  const idle = queue.idle().then(() => log.push('idle'));
  await turn();
  a.end();
  await idle;
  assert.deepEqual(log, ['a began', 'b', 'a ended', 'idle']);
  assert.equal(queue.keys, 0);
});
