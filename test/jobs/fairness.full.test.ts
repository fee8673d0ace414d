import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { systemFindVm } from '../../server/db/queries/vms/vms.ts';
import { startSystemJob } from '../../server/domain/vms/start-job.ts';
import { createLogger } from '../../server/platform/logging.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';
import { assertInvariants } from '../support/invariants.ts';
import { type Customer, openCustomer } from './support/customer.ts';
import { PURCHASE } from './support/fixture.ts';
import {
  type Installation,
  openInstallation,
  runJobs,
  type TestNode,
  unfinishedJobs,
} from './support/installation.ts';

const MINUTE_MS = 60_000;
const RICH = 10_000_00n;
const QUOTAS = { vms: 1000, vcpu: 4000, ram_mb: 4_000_000, disk_gb: 100_000 };

interface Scenario {
  installation: Installation;
  node: TestNode;
  troublemaker: Customer;
  neighbour: Customer;
}

async function open(t: TestContext, env: Record<string, string> = {}): Promise<Scenario> {
  const installation = await openInstallation(await freshDatabase(t), { env });
  defer(t, () => installation.close());
  // Time advances with every step, so that the jobs' starts are distinguishable.
  const node = await installation.openNode(() => installation.services.clock.advance(1));
  installation.outlet.deliver = () => node.runner.offer();
  const troublemaker = await openCustomer(installation, RICH, QUOTAS);
  return { installation, node, troublemaker, neighbour: await openCustomer(installation, RICH) };
}

async function buy(
  { installation, node }: Scenario,
  customer: Customer,
  hostnames: string[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const hostname of hostnames) {
    const { vm } = await customer.must({ method: 'POST', path: '/v1/vm', body: { ...PURCHASE, hostname } });
    ids.push(vm.id);
  }
  await runJobs(installation, node);
  return ids;
}

/** Runs everything that does not need time to pass, until only jobs waiting for the clock remain. */
async function untilJobs({ installation, node }: Scenario, count: number): Promise<void> {
  const { db } = installation.services;
  await node.runner.fill();
  while ((await unfinishedJobs(db)).length > count) await node.runner.fill();
}

/** Returns the jobs in the order in which they started. */
function begun({ installation }: Scenario): Promise<{ account_id: string; kind: string }[]> {
  return installation.services.db.query(sql`select account_id, kind from jobs order by started_at`);
}

const stop = (id: string) =>
  ({ method: 'POST', path: `/v1/vm/${id}/stop`, body: { timeout_seconds: 300 } }) as const;

test('34 VMs that ignore their shutdown delay no other', async (t) => {
  const scenario = await open(t);
  const { installation, node, troublemaker, neighbour } = scenario;
  const { clock, db } = installation.services;
  const deaf = await buy(
    scenario,
    troublemaker,
    Array.from({ length: 34 }, () => 'sim-ignores-shutdown'),
  );
  for (const id of deaf) await troublemaker.must(stop(id));
  const { vm } = await neighbour.must({ method: 'POST', path: '/v1/vm', body: PURCHASE });
  const own = await troublemaker.must({ method: 'POST', path: '/v1/vm', body: PURCHASE });
  const before = clock.now();
  await untilJobs(scenario, 34);
  assert.ok(clock.now().getTime() - before.getTime() < 1_000, 'no time has passed');
  for (const [customer, id] of [
    [neighbour, vm.id],
    [troublemaker, own.vm.id],
  ] as const) {
    assert.equal((await customer.must({ method: 'GET', path: `/v1/vm/${id}` })).status, 'running');
  }
  const waiting = await db.query(sql`select 1 from jobs where status = 'running' and owner is not null`);
  assert.equal(waiting.length, 34, 'all of them wait at the same time');

  await runJobs(installation, node);
  assert.ok(clock.now().getTime() - before.getTime() < 6 * MINUTE_MS);
  const errors = await db.query(sql`select distinct error_code from jobs where kind = 'stop'`);
  assert.deepEqual(errors, [{ error_code: 'guest_shutdown_timeout' }]);
  await assertInvariants(db);
});

test('accounts take turns: one with few jobs does not wait for all those of another', async (t) => {
  const scenario = await open(t, { VAUBAN_JOB_CONCURRENCY: '1' });
  const { installation, node, troublemaker, neighbour } = scenario;
  installation.outlet.deliver = () => {};
  const order = { method: 'POST', path: '/v1/vm', body: PURCHASE } as const;
  for (let count = 0; count < 20; count++) await troublemaker.must(order);
  await neighbour.must(order);
  await runJobs(installation, node);
  const turns = await begun(scenario);
  const turn = turns.findIndex(({ account_id }) => account_id === neighbour.accountId);
  assert.ok(turn <= 1, `its turn was number ${turn + 1} of ${turns.length}`);
});

test('a suspension does not wait for the jobs of customers', async (t) => {
  const scenario = await open(t, { VAUBAN_JOB_CONCURRENCY: '1' });
  const { installation, node, troublemaker, neighbour } = scenario;
  const { clock, db } = installation.services;
  const [unpaid] = await buy(scenario, neighbour, ['web']);
  installation.outlet.deliver = () => {};
  for (let count = 0; count < 5; count++) {
    await troublemaker.must({ method: 'POST', path: '/v1/vm', body: PURCHASE });
  }
  await db.transaction(async (tx) => {
    const vm = (await systemFindVm(tx, unpaid!, true))!;
    const start = { db: tx, services: installation.services, now: clock.now() };
    await startSystemJob(start, vm, { kind: 'force_stop', input: { suspend: true } });
  });
  await runJobs(installation, node);
  const turns = (await begun(scenario)).map(({ kind }) => kind);
  assert.deepEqual(turns.slice(0, 2), ['create', 'force_stop'], 'the first is the VM that is suspended');
});

test('a suspension does not wait for the jobs of its own account', async (t) => {
  const scenario = await open(t, { VAUBAN_JOB_CONCURRENCY: '8' });
  const { installation, node, troublemaker } = scenario;
  const { clock, db } = installation.services;
  // More jobs than may wait for their guests without a slot, so the rest uses the account's share of the slots.
  const names = Array.from({ length: 24 }, () => 'sim-ignores-shutdown');
  const [unpaid, ...deaf] = await buy(scenario, troublemaker, ['web', ...names]);
  for (const id of deaf) await troublemaker.must(stop(id));
  await node.runner.fill();
  const waiting = await db.query(sql`select 1 from jobs where status = 'pending'`);
  assert.ok(waiting.length > 0, 'the account has its share');
  await db.transaction(async (tx) => {
    const vm = (await systemFindVm(tx, unpaid!, true))!;
    const start = { db: tx, services: installation.services, now: clock.now() };
    await startSystemJob(start, vm, { kind: 'force_stop', input: { suspend: true } });
  });
  await node.runner.fill();
  const began = await db.query(sql`select 1 from jobs where kind = 'force_stop' and started_at is not null`);
  assert.equal(began.length, 1, 'it has begun');
});

test('100 jobs that fail again and again starve no other, and end', async (t) => {
  const lines: string[] = [];
  const logger = createLogger({ logLevel: 'warn' }, { write: (line: string) => void lines.push(line) });
  const installation = await openInstallation(await freshDatabase(t), { logger });
  defer(t, () => installation.close());
  const { db, clock } = installation.services;
  const node = await installation.openNode();
  const scenario = {
    installation,
    node,
    troublemaker: await openCustomer(installation, RICH, QUOTAS),
    neighbour: await openCustomer(installation, RICH),
  };
  const { troublemaker, neighbour } = scenario;
  const ids = await buy(
    scenario,
    troublemaker,
    Array.from({ length: 100 }, () => 'sim-fail-resize'),
  );
  const { available_minor } = await troublemaker.wallet();
  for (const id of ids) {
    const body = { plan: 's4', allow_reboot: true };
    await troublemaker.must({ method: 'POST', path: `/v1/vm/${id}/change-plan`, body });
  }
  lines.length = 0;
  await node.runner.fill();
  // Older than all later jobs, and all of them have failed.
  const failed = () =>
    db.query(sql`select 1 from jobs where attempts > 0 and owner is null and finished_at is null`);
  while ((await failed()).length < 100) await node.runner.fill();
  const { vm } = await neighbour.must({ method: 'POST', path: '/v1/vm', body: PURCHASE });
  await untilJobs(scenario, 100);
  assert.equal((await neighbour.must({ method: 'GET', path: `/v1/vm/${vm.id}` })).status, 'running');

  const began = clock.now().getTime();
  await runJobs(installation, node);
  assert.ok(clock.now().getTime() - began < 30 * MINUTE_MS, 'they end within half an hour');
  assert.ok(lines.length <= 100 * 12, `${lines.length} lines: one an attempt, and what failed at first`);
  for (const id of ids.slice(0, 3)) {
    const { status, last_job, active_job } = await troublemaker.must({ method: 'GET', path: `/v1/vm/${id}` });
    assert.deepEqual([status, active_job, last_job.status], ['error', null, 'failed']);
    const events = await troublemaker.must({ method: 'GET', path: `/v1/vm/${id}/events?type=job.failed` });
    assert.match(
      events[0].message,
      /^A change of plan failed and was abandoned: undoing it failed 10 times\. The amount/,
    );
  }
  const wallet = await troublemaker.wallet();
  assert.deepEqual([wallet.available_minor, wallet.held_minor], [available_minor, 0n]);
  await assertInvariants(db);
});
