import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Node, PRESENCE_MS } from '../../server/cluster/membership.ts';
import { type Database, type Session, type Sql, sql } from '../../server/db/database.ts';
import { skipWithoutPostgres } from '../chaos/support/another-node.ts';
import { type Customer, openCustomer } from '../jobs/support/customer.ts';
import { PURCHASE } from '../jobs/support/fixture.ts';
import {
  type Installation,
  openInstallation,
  runJobs,
  type TestNode,
  unfinishedJobs,
} from '../jobs/support/installation.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';
import { assertInvariants } from '../support/invariants.ts';

const CREATE = { method: 'POST', path: '/v1/vm', body: PURCHASE } as const;
const LIMIT = 2;

/** Returns a database that creates no guest until the gate is open, and counts the attempts. */
function gated(real: Database) {
  const opened = Promise.withResolvers<void>();
  const inside = { now: 0, most: 0, tried: 0 };
  const db: Database = {
    ...real,
    async query<Row extends object>(statement: Sql) {
      if (!statement.text.includes('insert into simulator_guests')) return real.query<Row>(statement);
      inside.tried++;
      inside.most = Math.max(inside.most, ++inside.now);
      await opened.promise;
      return real.query<Row>(statement).finally(() => inside.now--);
    },
  };
  return { db, inside, open: opened.resolve };
}

/** Opens two nodes with a limit of two jobs each, and more jobs than fit; the first one is full. */
async function twoNodes(t: TestContext) {
  const { db, inside, open } = gated(await freshDatabase(t));
  const installation = await openInstallation(db, { env: { VAUBAN_JOB_CONCURRENCY: String(LIMIT) } });
  defer(t, () => installation.close());
  defer(t, () => open());
  const customers = [await openCustomer(installation, 100_00n), await openCustomer(installation, 100_00n)];
  for (const customer of customers) for (let n = 0; n < 2; n++) await customer.must(CREATE);
  const [first, second] = [await installation.openNode(), await installation.openNode()];
  await first.runner.fill();
  while (inside.now < LIMIT) await db.query(sql`select 1`);
  return { installation, db, inside, open, customers, first, second };
}

/** Ends the session that holds a node's lock. */
async function dropSession(db: Database, { node }: TestNode): Promise<void> {
  const held = sql`from pg_locks where locktype = 'advisory' and objsubid = 1
    and (classid::bigint << 32) | objid::bigint = ${node.id}::bigint`;
  await db.query(sql`select pg_terminate_backend(pid) ${held}`);
  while ((await db.query(sql`select 1 ${held}`)).length > 0);
}

/** Passes time in which a node runs its periodic tasks. */
async function rounds(installation: Installation, node: TestNode, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    installation.services.clock.advance(1000);
    await node.adoption.run();
    await node.runner.fill();
  }
}

const ownersOf = (db: Database) =>
  db.query<{ owner: bigint; count: bigint }>(
    sql`select owner, count(*) as count from jobs where owner is not null group by owner order by count(*)`,
  );

test('concurrent jobs never exceed the limit', async (t) => {
  const { db, inside, open, first, installation } = await twoNodes(t);
  for (let n = 0; n < 5; n++) {
    first.runner.offer();
    await first.runner.fill();
  }
  assert.deepEqual([inside.now, inside.tried], [LIMIT, LIMIT]);
  open();
  await runJobs(installation, first);
  assert.ok(inside.most <= LIMIT, `${inside.most} at once`);
  await assertInvariants(db);
});

test('a full node that loses its session is seen again before its jobs are taken', {
  skip: skipWithoutPostgres,
}, async (t) => {
  const { db, inside, open, first, second, installation } = await twoNodes(t);
  await dropSession(db, first);
  await rounds(installation, second, 8);
  while (inside.now < 2 * LIMIT) await db.query(sql`select 1`);
  assert.deepEqual(inside, { now: 2 * LIMIT, most: 2 * LIMIT, tried: 2 * LIMIT }, 'each job is begun once');
  await first.node.check();
  await rounds(installation, second, 20);
  assert.deepEqual(
    (await ownersOf(db)).map(({ owner }) => owner).sort(),
    [first.node.id, second.node.id].sort(),
  );
  assert.equal(inside.tried, 2 * LIMIT, 'no step runs on both');
  open();
  await runJobs(installation, first);
  await assertInvariants(db);
});

test('a node that has lost its session no longer changes guests', {
  skip: skipWithoutPostgres,
}, async (t) => {
  const { db, open, first, installation, customers } = await twoNodes(t);
  await dropSession(db, first);
  open();
  while ((await ownersOf(db)).length > 0);
  const statuses = async (customer: Customer) =>
    (await customer.must({ method: 'GET', path: '/v1/vm' })).map(({ status }: { status: string }) => status);
  for (const customer of customers)
    assert.deepEqual(await statuses(customer), ['provisioning', 'provisioning']);
  assert.equal(first.node.present, false);
  await first.runner.fill();
  assert.deepEqual(await ownersOf(db), [], 'nor does it take jobs');
  await first.node.check();
  assert.equal(first.node.present, true);
  await runJobs(installation, first);
  for (const customer of customers) assert.deepEqual(await statuses(customer), ['running', 'running']);
  await assertInvariants(db);
});

test('a node whose database does not answer abandons its jobs before others take them', async (t) => {
  const real = await freshDatabase(t);
  let silent = false;
  const never = new Promise<never>(() => {});
  const muted = (session: Session): Session => ({
    query: (statement) => (silent ? never : session.query(statement)),
    release: () => session.release(),
    discard: () => session.discard(),
  });
  const db: Database = { ...real, reserve: async () => (silent ? never : muted(await real.reserve())) };
  const installation = await openInstallation(db);
  defer(t, () => installation.close());
  const { clock } = installation.services;
  const node = new Node(installation.services);
  await node.announce();
  defer(t, () => node.leave());
  let lostAt: number | undefined;
  node.onLost(() => {
    lostAt = clock.now().getTime();
  });
  await node.check();
  silent = true;
  const silentSince = clock.now().getTime();
  while (lostAt === undefined) {
    const checking = node.check();
    clock.advance(PRESENCE_MS);
    await checking;
  }
  assert.ok(lostAt - silentSince < 10_000, 'well before it is taken for dead');
  await assert.rejects(node.holds({ id: 'job_0', owner: node.id, epoch: 1 }), /lost its session/);
  silent = false;
});

test('a node that returns from a jump of its clock ends only its former session', {
  skip: skipWithoutPostgres,
}, async (t) => {
  const db = await freshDatabase(t);
  const installation = await openInstallation(db);
  defer(t, () => installation.close());
  const { node } = await installation.openNode();
  const checking = node.check();
  installation.services.clock.advance(86_400_000);
  await checking;
  assert.equal(node.present, false);
  // As many as there are connections: one of them was the session with the node's lock.
  const others = await Promise.all(Array.from({ length: 6 }, () => db.reserve()));
  defer(t, () => {
    for (const session of others) session.release();
  });
  await node.check();
  assert.equal(node.present, true);
  for (const session of others) await session.query(sql`select 1`);
});

test('an owner of an earlier claim writes nothing', async (t) => {
  const db = await freshDatabase(t);
  const installation = await openInstallation(db);
  defer(t, () => installation.close());
  const customer = await openCustomer(installation, 100_00n);
  const { vm } = await customer.must(CREATE);
  const second = await installation.openNode();
  let taken = false;
  const first = await installation.openNode(async ({ phase }) => {
    if (phase !== 'after' || taken) return;
    taken = true;
    // As after an adoption by this very node: the node's number is the same, but the claim differs.
    await db.query(sql`update jobs set epoch = epoch + 1 where id = ${vm.active_job.id}`);
  });
  await first.runner.runToEnd(vm.active_job.id);
  const [job] = await db.query<{ step: number; status: string }>(sql`select step, status from jobs`);
  assert.deepEqual(job, { step: 0, status: 'running' });
  await db.query(sql`update jobs set owner = null`);
  await runJobs(installation, second);
  assert.deepEqual(await unfinishedJobs(db), []);
  await assertInvariants(db);
});
