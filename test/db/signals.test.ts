import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { type TestContext, test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { Signals } from '../../server/db/signals.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';

const never = new AbortController().signal;

async function startSignals(t: TestContext) {
  const db = await freshDatabase(t);
  const signals = new Signals();
  await signals.start(db);
  defer(t, () => signals.stop());
  return { db, signals };
}

test('a waiter for a VM is woken when a change of it commits, not before and not by another', async (t) => {
  const { db, signals } = await startSignals(t);
  const woken: string[] = [];
  const wait = (vmId: string) => signals.nextChange(vmId, never).then(() => woken.push(vmId));
  const first = wait('vm_a');
  const second = wait('vm_a');
  wait('vm_b');
  await assert.rejects(
    db.transaction(async (tx) => {
      await signals.vmChanged(tx, 'vm_b');
      throw new Error('rolled back');
    }),
    /rolled back/,
  );
  await db.transaction(async (tx) => {
    await signals.vmChanged(tx, 'vm_a');
    await tx.query(sql`select 1`);
    assert.deepEqual(woken, []);
  });
  await Promise.all([first, second]);
  assert.deepEqual(woken, ['vm_a', 'vm_a']);
});

test('a wait ends with its limit, and leaves nothing behind', async (t) => {
  const { signals } = await startSignals(t);
  const limit = new AbortController();
  const woken = signals.nextChange('vm_a', limit.signal);
  const waits = [signals.nextChange('vm_b', limit.signal), signals.nextChange('vm_b', limit.signal)];
  signals.wake('vm_a');
  await woken;
  assert.equal(getEventListeners(limit.signal, 'abort').length, 2);
  limit.abort();
  await Promise.all(waits);
  await signals.nextChange('vm_a', limit.signal);
  assert.deepEqual(getEventListeners(limit.signal, 'abort'), []);
});

test('listeners are notified of a cancelled job', async (t) => {
  const { db, signals } = await startSignals(t);
  const canceled = Promise.withResolvers<string>();
  signals.onJobCanceled(canceled.resolve);
  await db.transaction((tx) => signals.jobCanceled(tx, 'job_a'));
  assert.equal(await canceled.promise, 'job_a');
});

test('stopping wakes all waiters', async (t) => {
  const { signals } = await startSignals(t);
  const waits = ['vm_a', 'vm_b', 'vm_b'].map((vmId) => signals.nextChange(vmId, never));
  await signals.stop();
  await Promise.all(waits);
});
