import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { openCustomer } from '../jobs/support/customer.ts';
import { PURCHASE } from '../jobs/support/fixture.ts';
import { openInstallation, runJobs, unfinishedJobs } from '../jobs/support/installation.ts';
import { defer } from '../support/cleanup.ts';
import { assertInvariants } from '../support/invariants.ts';
import { startOperator } from './support.ts';
import { vaubanctl } from './vaubanctl.ts';

const FUNDS = 100_00n;

/** A customer whose VM has a hostname that makes something fail, and an operator of the same database. */
async function stuck(t: TestContext, hostname: string) {
  const operator = await startOperator(t);
  const { db } = operator;
  const installation = await openInstallation(db);
  defer(t, () => installation.close());
  const node = await installation.openNode();
  const customer = await openCustomer(installation, FUNDS);
  const { vm } = await customer.must({ method: 'POST', path: '/v1/vm', body: { ...PURCHASE, hostname } });
  await runJobs(installation, node);
  const settled = async () => {
    await node.runner.fill();
    while ((await db.query(sql`select 1 from jobs where owner is not null`)).length > 0);
  };
  const read = () => customer.must({ method: 'GET', path: `/v1/vm/${vm.id}` });
  const ctl = (...args: string[]) => vaubanctl(operator.dataDir, 'job', ...args);
  const path = `/v1/vm/${vm.id}`;
  return { ...operator, installation, node, customer, path, settled, read, ctl };
}

const RESIZE = { plan: 's4', allow_reboot: true };

test('a job that keeps failing is listed, retried and abandoned', async (t) => {
  const { customer, path, settled, read, ctl, db, installation, node } = await stuck(t, 'sim-fail-resize');
  const before = await customer.wallet();
  const { job } = await customer.must({ method: 'POST', path: `${path}/change-plan`, body: RESIZE });
  await settled();
  assert.ok((await customer.wallet()).held_minor > 0n);

  const [listed] = JSON.parse((await ctl('list', '--json')).stdout);
  assert.deepEqual([listed.id, listed.attempts, listed.undoing, listed.owned], [job.id, 1, true, false]);
  assert.ok(Date.parse(listed.next_attempt_at) > installation.services.clock.now().getTime());
  assert.match((await ctl('list')).stdout, new RegExp(`^${job.id} +change_plan .* undoing +1 +20`, 'm'));
  assert.match(
    (await ctl('show', job.id)).stdout,
    /^error: +Something went wrong on our side\. \(internal_error\)$/m,
  );

  assert.match((await ctl('retry', job.id)).stdout, /will be retried within seconds/);
  assert.deepEqual(JSON.parse((await ctl('list', '--json')).stdout), []);
  assert.match((await ctl('list', '--state', 'active')).stdout, / at once /);
  await settled();
  assert.equal(JSON.parse((await ctl('show', job.id, '--json')).stdout).attempts, 1);

  assert.match((await ctl('abandon', job.id, '--yes')).stdout, /was abandoned/);
  assert.match((await ctl('list', '--state', 'abandoned')).stdout, / abandoned +1 +never /);
  const { status, active_job, last_job } = await read();
  assert.deepEqual([status, active_job, last_job.status], ['error', null, 'failed']);
  const { available_minor, held_minor } = await customer.wallet();
  assert.deepEqual([available_minor, held_minor], [before.available_minor, 0n]);
  const [event] = await customer.must({ method: 'GET', path: `${path}/events?type=job.failed` });
  assert.match(event.message, /abandoned: the operator of this installation ended it\. The amount held/);

  for (const action of ['retry', 'abandon']) {
    const { code, stderr } = await ctl(action, job.id, ...(action === 'abandon' ? ['--yes'] : []));
    assert.deepEqual([code, /has already ended with the status failed/.test(stderr)], [1, true], stderr);
  }
  assert.match((await ctl('show', 'job_00000000000000000000000000')).stderr, /does not exist/);
  await customer.must({ method: 'DELETE', path });
  await runJobs(installation, node);
  await assertInvariants(db);
});

test('a job that a node works on is abandoned at once, and the node leaves the guest unchanged', async (t) => {
  const { customer, path, ctl, db, installation, node, read } = await stuck(t, 'sim-ignores-shutdown');
  const { job } = await customer.must({
    method: 'POST',
    path: `${path}/stop`,
    body: { timeout_seconds: 300 },
  });
  await node.runner.fill();
  while (installation.services.clock.sleeping === 0) await db.query(sql`select 1`);
  assert.equal(JSON.parse((await ctl('show', job.id, '--json')).stdout).owned, true);
  assert.equal((await ctl('abandon', job.id, '--yes')).code, 0);
  assert.equal((await read()).status, 'error');
  while ((await db.query(sql`select 1 from jobs where owner is not null`)).length > 0);
  assert.equal(installation.services.clock.sleeping, 0, 'nothing waits for the guest any more');
  await customer.must({ method: 'POST', path: `${path}/force-stop` });
  await runJobs(installation, node);
  assert.equal((await read()).status, 'stopped');
});

test('a deletion that keeps failing ends; nothing is refunded twice, and the VM does not become free', async (t) => {
  const { customer, path, installation, node, read, db } = await stuck(t, 'sim-fail-remove');
  const { refund } = await customer.must({ method: 'DELETE', path });
  const after = await customer.wallet();
  const { clock } = installation.services;
  const began = clock.now().getTime();
  await runJobs(installation, node);
  assert.ok(clock.now().getTime() - began > 3_600_000, 'an outage of an hour ends none');
  assert.deepEqual(await unfinishedJobs(db), []);
  assert.ok(refund.amount_minor > 0);
  assert.equal((await read()).status, 'error');
  const [event] = await customer.must({ method: 'GET', path: `${path}/events?type=job.failed` });
  assert.equal(event.message, 'The deletion of the VM failed and was abandoned: it failed 20 times.');
  const refused = await customer.call({ method: 'POST', path: `${path}/start` });
  assert.equal(refused.error?.code, 'vm_suspended');
  const again = await customer.must({ method: 'DELETE', path });
  assert.equal(again.refund.amount_minor, 0);
  assert.equal((await customer.wallet()).available_minor, after.available_minor);
  await assertInvariants(db);
});

test('a creation that cannot be undone keeps its addresses until its guest is gone', async (t) => {
  const { path, read, db } = await stuck(t, 'sim-fail-start-sim-fail-remove');
  assert.equal((await read()).status, 'error');
  const id = path.split('/').at(-1)!;
  assert.equal((await db.query(sql`select 1 from ip_addresses where vm_id = ${id}`)).length, 2);
  assert.equal((await db.query(sql`select 1 from simulator_guests where id = ${id}`)).length, 1);
  await assertInvariants(db);
});
