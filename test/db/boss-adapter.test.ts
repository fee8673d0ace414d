import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { PgBoss } from 'pg-boss';
import { bossDatabase, bossTransaction } from '../../server/db/boss-adapter.ts';
import type { Database } from '../../server/db/database.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';

const QUEUE = 'work';
/** Polling must not be what finds a job here; only a notification is as fast as the test expects. */
const POLLING_SECONDS = 60;

interface Bench {
  boss: PgBoss;
  db: Database;
  /** The next job's data, in the order the worker got them. */
  next(): Promise<unknown>;
}

async function bench(t: TestContext): Promise<Bench> {
  const db = await freshDatabase(t);
  const boss = new PgBoss({
    db: bossDatabase(db),
    backend: db.engine,
    useListenNotify: true,
    supervise: false,
    schedule: false,
  });
  const problems: unknown[] = [];
  boss.on('error', (error) => problems.push(error));
  boss.on('warning', (warning) => problems.push(warning));
  await boss.start();
  defer(t, async () => {
    await boss.stop();
    assert.deepEqual(problems, []);
  });
  await boss.createQueue(QUEUE, { notify: true });
  const arrived: unknown[] = [];
  let wake = () => {};
  await boss.work(QUEUE, { pollingIntervalSeconds: POLLING_SECONDS }, async (jobs) => {
    arrived.push(...jobs.map((job) => job.data));
    wake();
  });
  const next = async () => {
    while (arrived.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return arrived.shift();
  };
  return { boss, db, next };
}

test('a job sent in a transaction is part of it', async (t) => {
  const { boss, db, next } = await bench(t);
  const refused = db.transaction(async (tx) => {
    await boss.send(QUEUE, { n: 'rolled back' }, { db: bossTransaction(tx) });
    throw new Error('refused');
  });
  await assert.rejects(refused, { message: 'refused' });
  await db.transaction(async (tx) => {
    await boss.send(QUEUE, { n: 'committed' }, { db: bossTransaction(tx) });
  });
  assert.deepEqual(await next(), { n: 'committed' });
});

test('a notification, not polling, has a job picked up', async (t) => {
  const { boss, db, next } = await bench(t);
  const waits: number[] = [];
  for (let n = 0; n < 10; n++) {
    await db.transaction((tx) => boss.send(QUEUE, { n }, { db: bossTransaction(tx) }));
    const sent = performance.now();
    assert.deepEqual(await next(), { n });
    waits.push(performance.now() - sent);
  }
  const median = waits.sort((a, b) => a - b)[5]!;
  t.diagnostic(`picked up after ${median.toFixed(1)} ms (median)`);
  assert.ok(median < 1_000, `picked up only after ${median} ms`);
});
