import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobQueue } from '../../server/jobs/queue.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';

test('a job is announced when its transaction commits: to its node once, to the others by notification', async (t) => {
  const db = await freshDatabase(t);
  const offers = { own: 0, other: 0 };
  const heard = Promise.withResolvers<void>();
  const queue = new JobQueue(db);
  const other = new JobQueue(db);
  await queue.receive({ offer: () => void offers.own++ });
  await other.receive({
    offer() {
      offers.other++;
      heard.resolve();
    },
  });
  defer(t, () => Promise.all([queue.stop(), other.stop()]));
  const refused = db.transaction(async (tx) => {
    await queue.announce(tx);
    throw new Error('refused');
  });
  await assert.rejects(refused, { message: 'refused' });
  await db.transaction(async (tx) => {
    await queue.announce(tx);
    assert.deepEqual(offers, { own: 0, other: 0 }, 'not before it is committed');
  });
  assert.equal(offers.own, 1);
  await heard.promise;
  // Notifications arrive in the order of commits: one meant for this node's own job would have arrived before.
  const last = Promise.withResolvers<void>();
  const stop = await db.listen('last', () => last.resolve());
  defer(t, stop);
  await db.script("notify last, ''");
  await last.promise;
  assert.deepEqual(offers, { own: 1, other: 1 });
});
