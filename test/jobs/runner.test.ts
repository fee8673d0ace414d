import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Database, type Sql, sql } from '../../server/db/database.ts';
import { createLogger } from '../../server/platform/logging.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';
import { assertInvariants } from '../support/invariants.ts';
import { openCustomer } from './support/customer.ts';
import { PURCHASE } from './support/fixture.ts';
import { openInstallation, runJobs } from './support/installation.ts';

const CREATE = { method: 'POST', path: '/v1/vm', body: PURCHASE } as const;

/** Returns a database that calls `before` for each statement outside a transaction; `before` may throw. */
function watched(db: Database, before: (statement: Sql) => Promise<void> | void): Database {
  return {
    ...db,
    async query(statement) {
      await before(statement);
      return db.query(statement);
    },
  };
}

/** Returns a database that creates no guest until the gate is open; `reached` resolves at the first attempt. */
function gated(real: Database) {
  const opened = Promise.withResolvers<void>();
  const tried = Promise.withResolvers<void>();
  const db = watched(real, ({ text }) => {
    if (!text.includes('insert into simulator_guests')) return;
    tried.resolve();
    return opened.promise;
  });
  return { db, reached: tried.promise, gate: { open: opened.resolve } };
}

test('a job that cannot be finished is released as soon as the database can be reached again', async (t) => {
  let refusals = 3;
  const real = await freshDatabase(t);
  const db = watched(real, ({ text }) => {
    if (text.startsWith('update jobs set owner = null') && refusals-- > 0) throw new Error('away');
  });
  const installation = await openInstallation(db);
  defer(t, () => installation.close());
  const customer = await openCustomer(installation, 100_00n);
  const { vm } = await customer.must(CREATE);
  let failures = 1;
  const node = await installation.openNode(({ phase }) => {
    if (phase === 'undo' || failures-- > 0) throw new Error('fails, and so does its undo');
  });
  await node.runner.fill();
  const { clock } = installation.services;
  while (refusals >= 0) {
    await real.query(sql`select 1`);
    if (clock.sleeping > 0) clock.advance(1000);
  }
  await node.stop();
  await runJobs(installation, await installation.openNode());
  assert.equal((await customer.must({ method: 'GET', path: `/v1/vm/${vm.id}` })).last_job.status, 'failed');
});

test('a job that is cancelled while it fails ends without an error, and lets the next one run', async (t) => {
  const lines: string[] = [];
  const logger = createLogger({ logLevel: 'error' }, { write: (line: string) => void lines.push(line) });
  let meanwhile: (() => Promise<unknown>) | undefined;
  const db = watched(await freshDatabase(t), async ({ text }) => {
    if (!text.startsWith('update jobs set step')) return;
    await meanwhile?.();
    meanwhile = undefined;
  });
  const installation = await openInstallation(db, { logger });
  defer(t, () => installation.close());
  const customer = await openCustomer(installation, 100_00n);
  const { vm } = await customer.must(CREATE);
  const one = { method: 'DELETE', path: `/v1/vm/${vm.id}` } as const;
  meanwhile = () => customer.must(one);
  let failures = 1;
  const node = await installation.openNode(() => {
    if (failures-- > 0) throw new Error('fails');
  });
  await node.runner.runToEnd(vm.active_job.id);
  await runJobs(installation, node);
  assert.deepEqual(lines, []);
  assert.equal((await customer.call({ method: 'GET', path: `/v1/vm/${vm.id}` })).status, 404);
  const { available_minor, held_minor } = await customer.wallet();
  assert.deepEqual({ available_minor, held_minor }, { available_minor: 100_00n, held_minor: 0n });
});

test('the next job of a VM waits until the cancelled one has released the guest', async (t) => {
  const { db, reached, gate } = gated(await freshDatabase(t));
  const installation = await openInstallation(db);
  defer(t, () => installation.close());
  const customer = await openCustomer(installation, 100_00n);
  const { vm } = await customer.must(CREATE);
  const [first, second] = [await installation.openNode(), await installation.openNode()];
  const creation = first.runner.runToEnd(vm.active_job.id);
  await reached;
  const { job } = await customer.must({ method: 'DELETE', path: `/v1/vm/${vm.id}` });
  await second.runner.runToEnd(job.id);
  await assertInvariants(db);
  gate.open();
  await creation;
  await runJobs(installation, first);
  assert.equal((await customer.call({ method: 'GET', path: `/v1/vm/${vm.id}` })).status, 404);
  await assertInvariants(db);
});

test('a job that is offered and delivered runs once; one without a free slot waits for it', async (t) => {
  const { db, reached, gate } = gated(await freshDatabase(t));
  const installation = await openInstallation(db, { env: { VAUBAN_JOB_CONCURRENCY: '1' } });
  defer(t, () => installation.close());
  const customer = await openCustomer(installation, 100_00n);
  defer(t, () => gate.open());
  const first = (await customer.must(CREATE)).vm;
  // Ids sort by their time of creation.
  installation.services.clock.advance(1);
  const second = (await customer.must(CREATE)).vm;
  let creations = 0;
  const { runner } = await installation.openNode(({ step, phase }) => {
    if (step === 'create_guest' && phase === 'before') creations++;
  });
  const job = async ({ id }: { id: string }) => {
    const { active_job, last_job } = await customer.must({ method: 'GET', path: `/v1/vm/${id}` });
    return (active_job ?? last_job).status;
  };
  runner.offer();
  runner.offer();
  const delivered = runner.fill();
  await reached;
  await delivered;
  assert.deepEqual([await job(first), await job(second)], ['running', 'pending']);
  gate.open();
  await runner.runToEnd(first.active_job.id);
  await runner.runToEnd(second.active_job.id);
  assert.deepEqual([await job(first), await job(second), creations], ['succeeded', 'succeeded', 2]);
});
