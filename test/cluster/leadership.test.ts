import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Authenticator } from '../../server/access/authentication.ts';
import { EngineClaim } from '../../server/cluster/engine-claim.ts';
import { HostWatch } from '../../server/cluster/host-watch.ts';
import type { ComputeDriver } from '../../server/compute/driver.ts';
import { Consoles } from '../../server/consoles/consoles.ts';
import type { Database } from '../../server/db/database.ts';
import { backgroundTasks } from '../../server/start/background-tasks.ts';
import { skipWithoutPostgres } from '../chaos/support/another-node.ts';
import { openCustomer } from '../jobs/support/customer.ts';
import { openInstallation } from '../jobs/support/installation.ts';
import { makeVm } from '../network/support.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';

type Reach = ReturnType<ComputeDriver['capabilities']>['reach'];

/** Opens a node whose engine counts its calls; `place` is where its guests are, `reach` which nodes reach them. */
async function openNode(
  t: TestContext,
  db: Database,
  place: string | null = null,
  reach: Reach = 'every_node',
) {
  const installation = await openInstallation(db);
  defer(t, installation.close);
  const { services } = installation;
  const { compute } = services;
  const asked = { readings: 0, rules: 0 };
  const { sample, applyNetwork } = compute;
  compute.place = async () => place;
  const able = compute.capabilities();
  compute.capabilities = () => ({ ...able, reach });
  compute.sample = (ids) => {
    asked.readings++;
    return sample.call(compute, ids);
  };
  compute.applyNetwork = (...rules) => {
    asked.rules++;
    return applyNetwork.apply(compute, rules);
  };
  const claim = await EngineClaim.take({ ...services, reason: 'test' });
  defer(t, () => claim.leave());
  const { node, runner } = await installation.openNode();
  const consoles = new Consoles(services);
  const hosts = new HostWatch(services);
  const authenticator = new Authenticator(db, services.clock);
  const parts = { node, claim, hosts, runner, consoles, authenticator };
  const tasks = backgroundTasks(services, parts);
  const run = async () => {
    for (const name of ['sample_metrics', 'reconcile_network'])
      await tasks.find((task) => task.name === name)!.run(AbortSignal.abort());
  };
  return { installation, services, asked, run };
}

async function runningVm(node: Awaited<ReturnType<typeof openNode>>) {
  const { accountId } = await openCustomer(node.installation, 100_00n);
  return makeVm({ services: node.services, accountId }, { status: 'running' });
}

test('guests that nodes share are read and set by the one that leads', {
  skip: skipWithoutPostgres,
}, async (t) => {
  const db = await freshDatabase(t);
  const first = await openNode(t, db);
  await runningVm(first);
  const second = await openNode(t, db);
  first.asked.rules = 0;
  for (const node of [first, second]) await node.run();
  assert.deepEqual(
    [first.asked, second.asked],
    [
      { readings: 1, rules: 1 },
      { readings: 0, rules: 0 },
    ],
  );
  await first.services.leadership.leave();
  await second.run();
  assert.equal(second.asked.readings, 1, 'the next one leads at once');
});

test('guests of a shared cluster are managed by the leading node', {
  skip: skipWithoutPostgres,
}, async (t) => {
  const db = await freshDatabase(t);
  const first = await openNode(t, db, 'cluster');
  await runningVm(first);
  const second = await openNode(t, db, 'cluster');
  first.asked.rules = 0;
  let listed = 0;
  const { compute } = second.services;
  const { list } = compute;
  compute.list = () => {
    listed++;
    return list.call(compute);
  };
  for (const node of [first, second]) await node.run();
  await second.services.guests.run();
  assert.deepEqual(
    [first.asked, second.asked, listed],
    [{ readings: 1, rules: 1 }, { readings: 0, rules: 0 }, 0],
  );
});

test('guests that only one node reaches are read and set by it, even if another leads', async (t) => {
  const db = await freshDatabase(t);
  const node = await openNode(t, db, 'here', 'this_node');
  await runningVm(node);
  node.asked.rules = 0;
  node.services.leadership.holds = async () => false;
  await node.run();
  assert.deepEqual(node.asked, { readings: 1, rules: 1 });
});
